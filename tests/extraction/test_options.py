"""Options of methods: set by name, checked, and listed when one is wrong."""

from __future__ import annotations

import pytest

from forest_crawler.errors import OptionError
from forest_crawler.extraction.methods.bte import BodyTextExtractor
from forest_crawler.extraction.methods.density import DensitySumExtractor, text_density
from forest_crawler.extraction.methods.options import list_options, set_options
from forest_crawler.extraction.methods.r4 import R4Extractor


def test_the_options_of_r4_have_the_papers_values() -> None:
    options = {option.name: option.value for option in list_options(R4Extractor())}
    assert options == {"c": 3, "tr": 1.5, "hr": 7}


def test_options_are_set_on_a_copy_the_last_value_counts() -> None:
    extractor = R4Extractor()
    assert set_options("r4", extractor, ["c=5", " tr = 2 ", "c=6"]) == R4Extractor(c=6, tr=2.0)
    assert extractor == R4Extractor()


def test_a_field_that_is_not_a_number_is_not_an_option() -> None:
    extractor = DensitySumExtractor(text_density)
    assert [option.name for option in list_options(extractor)] == ["threshold_factor"]
    assert set_options("cetd-ds", extractor, ["threshold_factor=0.9"]).density is text_density


def test_a_method_may_have_no_options() -> None:
    with pytest.raises(OptionError, match="method bte: no option 'c'; it has no options"):
        set_options("bte", BodyTextExtractor(), ["c=1"])


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        pytest.param("d=5", "no option 'd'; options: c (nodes in the c-SET;", id="unknown"),
        pytest.param("=5", "no option ''", id="no name"),
        pytest.param("c", "option c cannot be ''", id="no value"),
        pytest.param("c=many", "option c cannot be 'many'", id="not a number"),
        pytest.param("c=2.5", "option c cannot be '2.5'", id="not an integer"),
        pytest.param("c=0", "integer >= 1, default 3", id="below the minimum"),
        pytest.param("tr=nan", "option tr cannot be 'nan'", id="not a finite number"),
        pytest.param("tr=inf", "option tr cannot be 'inf'", id="infinite"),
        pytest.param("hr=-1", "option hr cannot be '-1'", id="negative"),
    ],
)
def test_a_wrong_option_is_refused_in_one_line(setting: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        set_options("r4", R4Extractor(), [setting])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
