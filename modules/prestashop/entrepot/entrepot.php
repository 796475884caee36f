<?php
/**
 * Tells entrepot that an order, a product or a quantity has changed. The notification carries ids only; entrepot then asks the shop's web
 * service. It is sent after the answer to the buyer, and whatever goes wrong with it, the shop goes on.
 *
 * Copy the folder "entrepot" to the shop's "modules" folder, install the module in the back office, and enter the address and the secret
 * that the connection test of the channel shows.
 */
if (!defined('_PS_VERSION_')) {
    exit;
}

class Entrepot extends Module
{
    const ADDRESS = 'ENTREPOT_ADDRESS';
    const SECRET = 'ENTREPOT_SECRET';
    const HOOKS = [
        'actionValidateOrder',
        'actionOrderStatusPostUpdate',
        'actionObjectOrderUpdateAfter',
        'actionProductUpdate',
        'actionUpdateQuantity',
    ];

    /** @var array<string, array<string, mixed>> what has happened in this request, each once */
    private static $events = [];

    public function __construct()
    {
        $this->name = 'entrepot';
        $this->tab = 'administration';
        $this->version = '1.0.0';
        $this->author = 'entrepot';
        $this->need_instance = 0;
        $this->bootstrap = true;
        $this->ps_versions_compliancy = ['min' => '1.7.0.0', 'max' => _PS_VERSION_];
        parent::__construct();
        $this->displayName = 'entrepot';
        $this->description = 'Notifies entrepot of orders, products and quantities.';
    }

    public function install()
    {
        return parent::install() && $this->registerHook(self::HOOKS);
    }

    public function uninstall()
    {
        return Configuration::deleteByName(self::ADDRESS) && Configuration::deleteByName(self::SECRET) && parent::uninstall();
    }

    /** The page where address and secret are entered; the secret is never shown again. */
    public function getContent()
    {
        $said = '';
        if (Tools::isSubmit('submitEntrepot')) {
            $address = trim((string) Tools::getValue(self::ADDRESS));
            $secret = trim((string) Tools::getValue(self::SECRET));
            if (!preg_match('#^https?://#', $address) || !Validate::isAbsoluteUrl($address)) {
                $said = $this->displayError('The address must begin with https://');
            } else {
                Configuration::updateValue(self::ADDRESS, $address);
                if ($secret !== '') {
                    Configuration::updateValue(self::SECRET, $secret);
                }
                $said = $this->displayConfirmation('Saved.');
            }
        }
        $form = new HelperForm();
        $form->module = $this;
        $form->name_controller = $this->name;
        $form->token = Tools::getAdminTokenLite('AdminModules');
        $form->currentIndex = AdminController::$currentIndex . '&configure=' . $this->name;
        $form->submit_action = 'submitEntrepot';
        $form->fields_value = [self::ADDRESS => Configuration::get(self::ADDRESS), self::SECRET => ''];

        return $said . $form->generateForm([['form' => [
            'legend' => ['title' => 'Channel'],
            'input' => [
                [
                    'type' => 'text',
                    'name' => self::ADDRESS,
                    'label' => 'Address',
                    'required' => true,
                    'desc' => 'As the connection test of the channel shows it.',
                ],
                ['type' => 'password', 'name' => self::SECRET, 'label' => 'Secret', 'desc' => 'Left empty, the one that was saved stays.'],
            ],
            'submit' => ['title' => 'Save'],
        ]]]);
    }

    public function hookActionValidateOrder($params)
    {
        $this->note('order.created', 'id_order', isset($params['order']) ? $params['order']->id : 0);
    }

    public function hookActionOrderStatusPostUpdate($params)
    {
        $this->note('order.status_changed', 'id_order', isset($params['id_order']) ? $params['id_order'] : 0);
    }

    public function hookActionObjectOrderUpdateAfter($params)
    {
        $this->note('order.updated', 'id_order', isset($params['object']) ? $params['object']->id : 0);
    }

    public function hookActionProductUpdate($params)
    {
        $this->note('product.updated', 'id_product', isset($params['id_product']) ? $params['id_product'] : 0);
    }

    /** Not called for stock that was written over the web service, so entrepot does not hear its own writing. */
    public function hookActionUpdateQuantity($params)
    {
        $this->note('stock.updated', 'id_product', isset($params['id_product']) ? $params['id_product'] : 0);
    }

    /** Keeps an event for the end of the request. One about an order replaces those about it that came before. */
    private function note($event, $key, $id)
    {
        $id = (int) $id;
        if ($id <= 0) {
            return;
        }
        if (!self::$events) {
            register_shutdown_function([__CLASS__, 'send']);
        }
        self::$events[$key . $id] = [
            'event_id' => bin2hex(random_bytes(16)),
            'event' => $event,
            $key => $id,
            'date_upd' => date('Y-m-d H:i:s'),
        ];
    }

    /**
     * Sends what has happened, when the buyer has the answer. Nothing that goes wrong here reaches the shop: entrepot looks by itself, too.
     */
    public static function send()
    {
        ignore_user_abort(true);
        try {
            self::endAnswer();
            $address = (string) Configuration::get(self::ADDRESS);
            $secret = (string) Configuration::get(self::SECRET);
            if ($address === '' || $secret === '' || !function_exists('curl_init')) {
                return;
            }
            $until = microtime(true) + 5;
            foreach (self::$events as $event) {
                if (microtime(true) > $until) {
                    return;
                }
                $body = json_encode($event);
                $call = curl_init($address);
                curl_setopt_array($call, [
                    CURLOPT_POST => true,
                    CURLOPT_POSTFIELDS => $body,
                    CURLOPT_HTTPHEADER => [
                        'Content-Type: application/json',
                        'X-PrestaShop-Signature: ' . hash_hmac('sha256', $body, $secret),
                    ],
                    CURLOPT_RETURNTRANSFER => true,
                    CURLOPT_FOLLOWLOCATION => false,
                    CURLOPT_CONNECTTIMEOUT => 2,
                    CURLOPT_TIMEOUT => 3,
                ]);
                $arrived = curl_exec($call) !== false;
                curl_close($call);
                if (!$arrived) {
                    return;
                }
            }
        } catch (Throwable $e) {
            return;
        }
        self::$events = [];
    }

    /** Ends the answer to the buyer, and lets go of the session, for which the buyer's next request would wait. */
    private static function endAnswer()
    {
        if (function_exists('fastcgi_finish_request')) {
            fastcgi_finish_request();
        } elseif (function_exists('litespeed_finish_request')) {
            litespeed_finish_request();
        } else {
            while (ob_get_level() > 1) {
                ob_end_flush();
            }
            // Here the answer ends with its length, where that is known: a handler such as ob_gzhandler would change it.
            $plain = in_array(ob_list_handlers(), [[], ['default output handler']], true);
            if (!headers_sent() && !ini_get('zlib.output_compression') && $plain) {
                header('Connection: close');
                header('Content-Length: ' . (int) ob_get_length());
            }
            if (ob_get_level() > 0) {
                ob_end_flush();
            }
            flush();
        }
        if (session_status() === PHP_SESSION_ACTIVE) {
            session_write_close();
        }
    }
}
