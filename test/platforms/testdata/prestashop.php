<?php
/**
 * As much of a PrestaShop as its module for entrepot touches. It loads the module, saves address and secret in the module's page as a
 * merchant does, and fires the hooks that it is told of.
 *
 * On the command line it says each step and waits for a line before the next one, so that a test can look in between: "page" when the
 * buyer's page is made, "answered" when the module ends the answer. Below a web server it answers a request.
 */
define('_PS_VERSION_', '8.2.0');
error_reporting(E_ALL);
ini_set('display_errors', '1');

class Configuration
{
    private static $values = [];

    public static function get($name)
    {
        return self::$values[$name] ?? false;
    }

    public static function updateValue($name, $value)
    {
        self::$values[$name] = $value;

        return true;
    }

    public static function deleteByName($name)
    {
        unset(self::$values[$name]);

        return true;
    }
}

class Module
{
    public $registered = [];
    public $name;
    public $tab;
    public $version;
    public $author;
    public $need_instance;
    public $bootstrap;
    public $ps_versions_compliancy;
    public $displayName;
    public $description;

    public function __construct()
    {
    }

    public function install()
    {
        return true;
    }

    public function uninstall()
    {
        return true;
    }

    public function registerHook($hooks)
    {
        foreach ((array) $hooks as $hook) {
            if (!is_callable([$this, 'hook' . ucfirst($hook)])) {
                return false;
            }
            $this->registered[] = $hook;
        }

        return true;
    }

    public function displayError($text)
    {
        return '<error>' . $text . '</error>';
    }

    public function displayConfirmation($text)
    {
        return '<saved>' . $text . '</saved>';
    }
}

class Tools
{
    public static $sent = [];

    public static function isSubmit($name)
    {
        return isset(self::$sent[$name]);
    }

    public static function getValue($name)
    {
        return self::$sent[$name] ?? false;
    }

    public static function getAdminTokenLite($tab)
    {
        return 'token';
    }
}

class Validate
{
    public static function isAbsoluteUrl($url)
    {
        return !empty($url) && preg_match('/^(https?:)?\/\/[$~:;#,%&_=\(\)\[\]\.\? \+\-@\/a-zA-Z0-9]+$/', $url);
    }
}

class AdminController
{
    public static $currentIndex = 'index.php?controller=AdminModules';
}

class HelperForm
{
    public $module;
    public $name_controller;
    public $token;
    public $currentIndex;
    public $submit_action;
    public $fields_value;

    public function generateForm($form)
    {
        return json_encode([$form, $this->fields_value]);
    }
}

/** Fires a hook as PrestaShop does: only those that the module registered. */
function fire($module, $hook, $params)
{
    if (!in_array($hook, $module->registered, true)) {
        throw new Exception("the module did not register $hook");
    }
    $module->{'hook' . ucfirst($hook)}($params);
}

/** Says a step, and waits until the test has looked. */
function step($said)
{
    fwrite(STDOUT, $said . "\n");
    if (fgets(STDIN) === false) {
        exit(3);
    }
}

if (PHP_SAPI === 'cli') {
    function fastcgi_finish_request()
    {
        step('answered');

        return true;
    }
}

require getenv('ENTREPOT_MODULE');
$module = new Entrepot();
if (!$module->install()) {
    exit("not installed\n");
}
Tools::$sent = ['submitEntrepot' => '1', 'ENTREPOT_ADDRESS' => getenv('ENTREPOT_ADDRESS'), 'ENTREPOT_SECRET' => getenv('ENTREPOT_SECRET')];
$page = $module->getContent();
if (strpos($page, '<saved>') === false || strpos($page, getenv('ENTREPOT_SECRET')) !== false) {
    exit($page . "\n");
}
foreach (json_decode(getenv('ENTREPOT_HOOKS'), true) as list($hook, $params)) {
    foreach (['order', 'object'] as $name) {
        if (isset($params[$name])) {
            $params[$name] = (object) $params[$name];
        }
    }
    fire($module, $hook, $params);
}
if (PHP_SAPI === 'cli') {
    step('page');
} elseif ($_SERVER['REQUEST_URI'] === '/placed') {
    header('Location: /confirmation');
} else {
    echo 'Thank you.';
}
