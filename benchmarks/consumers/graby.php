<?php
// Reads pages as JSON lines and prints what graby shows of them. No page is fetched.
declare(strict_types=1);
[, $autoload, $configs] = $argv;
require $autoload;

$client = new class implements Psr\Http\Client\ClientInterface {
    public function sendRequest(Psr\Http\Message\RequestInterface $request): Psr\Http\Message\ResponseInterface
    {
        throw new RuntimeException('not fetched: ' . $request->getUri());
    }
};
$options = ['extractor' => ['config_builder' => ['site_config' => [$configs]]], 'multipage' => false, 'singlepage' => false];
$known = class_exists('Composer\InstalledVersions') && Composer\InstalledVersions::isInstalled('j0k3r/graby');
$version = $known ? Composer\InstalledVersions::getPrettyVersion('j0k3r/graby') : getenv('GRABY_VERSION');
echo json_encode(['url' => '', 'html' => $version ?: 'unknown']), "\n";
while (($line = fgets(STDIN)) !== false) {
    $page = json_decode($line, true);
    $graby = new Graby\Graby($options, $client);
    $graby->setContentAsPrefetched(base64_decode($page['html']));
    $content = $graby->fetchContent($page['url']);
    $html = is_array($content) ? $content['html'] : $content->getHtml(); // an array before graby 3
    echo json_encode(['url' => $page['url'], 'html' => $html], JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
