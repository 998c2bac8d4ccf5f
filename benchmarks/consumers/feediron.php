<?php
// Reads URLs as JSON lines and prints the articles that FeedIron makes of them. What it takes from
// tt-rss (storage of the configuration, fetching) is replaced; pages are on loopback only.
declare(strict_types=1);
error_reporting(E_ERROR);
[, $plugin, $config] = $argv;
chdir($plugin);
set_include_path($plugin);

class PluginHost { const HOOK_ARTICLE_FILTER = 1; const HOOK_PREFS_TABS = 2;
    public function __construct(private string $config) {}
    public function get($sender, $name, $default = false) { return $this->config; }
    public function set(...$arguments) {}
    public function add_hook(...$arguments) {}
}
abstract class Plugin {}
interface IHandler {}
function get_version() { return '99.0.0'; }
function fetch_file_contents($url)
{
    global $fetch_last_content_type;
    if (parse_url($url, PHP_URL_HOST) !== '127.0.0.1') {
        throw new RuntimeException("not fetched: $url");
    }
    $fetch_last_content_type = 'text/html';
    return file_get_contents($url);
}

require "$plugin/init.php";
$feediron = new Feediron();
$feediron->init(new PluginHost(file_get_contents($config)));
echo json_encode(['url' => '', 'html' => (string) $feediron->about()[0]]), "\n";
while (($line = fgets(STDIN)) !== false) {
    $url = json_decode($line, true)['url'];
    $article = ['link' => $url, 'author' => '', 'content' => '', 'tags' => [], 'plugin_data' => '', 'owner_uid' => 1];
    $made = $feediron->hook_article_filter($article);
    echo json_encode(['url' => $url, 'html' => $made['content']], JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
