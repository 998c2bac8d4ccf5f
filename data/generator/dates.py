"""Format dates as a site prints them, independent of the machine's locale."""

from datetime import datetime

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
    "dicembre",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "ja": "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
}
WEEKDAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "ru": "понедельник вторник среда четверг пятница суббота воскресенье",
    "ja": "月 火 水 木 金 土 日",
}


def format_date(date: datetime, pattern: str, language: str) -> str:
    """Fill a `str.format` pattern with the parts of a date in the site's language.

    >>> format_date(datetime(2026, 3, 1, 7, 5), "{weekday}, {d.day}. {month} {d:%H:%M}", "de")
    'Sonntag, 1. März 07:05'
    """
    month = MONTHS[language].split()[date.month - 1]
    weekday = WEEKDAYS[language].split()[date.weekday()]
    return pattern.format(d=date, month=month, weekday=weekday)


def format_mail_date(date: datetime) -> str:
    """Format a date as RSS 2.0 requires it (RFC 822)."""
    month = format_date(date, "{month}", "en")[:3]
    weekday = format_date(date, "{weekday}", "en")[:3]
    return f"{weekday}, {date:%d} {month} {date:%Y %H:%M:%S %z}"
