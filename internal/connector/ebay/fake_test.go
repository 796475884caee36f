package ebay_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // the digest eBay signs with
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/ebay"
)

const kid = "11111111-2222-3333-4444-555555555555"

// fake plays eBay's token and key endpoints, with a key pair of its own.
type fake struct {
	*httptest.Server
	pair *ecdsa.PrivateKey

	mu       sync.Mutex
	at       time.Time
	keys     map[string]string // kid → body of the answer
	status   map[string]int    // path → status to answer with
	token    string            // the token that is good at present
	tokens   int               // tokens given
	lookups  int               // look-ups answered, of whatever key
	lifetime int               // seconds a token lives
}

func newFake(t testing.TB) *fake {
	t.Helper()
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{pair: pair, at: time.Unix(1791188042, 0), keys: map[string]string{}, status: map[string]int{}, lifetime: 7200}
	f.keys[kid] = keyAnswer(t, &pair.PublicKey, "SHA1")
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// keyAnswer is how eBay gives a key: PEM without line breaks.
func keyAnswer(t testing.TB, key any, digest string) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"key":"-----BEGIN PUBLIC KEY-----%s-----END PUBLIC KEY-----","algorithm":"ECDSA","digest":%q}`,
		base64.StdEncoding.EncodeToString(der), digest)
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if status := f.status[r.URL.Path]; status != 0 {
		w.WriteHeader(status)
		return
	}
	if r.Method == http.MethodPost && r.URL.Path == "/identity/v1/oauth2/token" {
		id, password, _ := r.BasicAuth()
		if id != "MyApp-PRD-1" || password != "PRD-secret" || r.PostFormValue("grant_type") != "client_credentials" ||
			r.PostFormValue("scope") != "https://api.ebay.com/oauth/api_scope" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		f.tokens++
		f.token = fmt.Sprintf("token-%d", f.tokens)
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": f.token, "expires_in": f.lifetime, "token_type": "Application Access Token"})
		return
	}
	f.lookups++
	if r.Header.Get("Authorization") != "Bearer "+f.token || f.token == "" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	answer, ok := f.keys[r.URL.Path[len("/commerce/notification/v1/public_key/"):]]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_, _ = w.Write([]byte(answer))
}

func (f *fake) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

// set changes the fake between requests.
func (f *fake) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// counts returns how many tokens were given and keys looked up.
func (f *fake) counts() [2]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return [2]int{f.tokens, f.lookups}
}

func (f *fake) connector() *ebay.Connector { return ebay.New(f.Client(), f.now) }

// channel is a channel whose API is the fake.
func (f *fake) channel() connector.Channel {
	return connector.Channel{ID: "ch-1", Platform: "EBAY", Credentials: connector.Credentials{
		"clientId": "MyApp-PRD-1", "clientSecret": "PRD-secret", "refreshToken": "v^1", "marketplaceId": "EBAY_FR",
		"verificationToken": "verification_token_0123456789abcdef", "baseUrl": f.URL + "/",
	}}
}

// sign is the signature header eBay would send with a body.
func (f *fake) sign(body []byte) string {
	sum := sha1.Sum(body) //nolint:gosec // the digest eBay signs with
	return header(kid, f.signDigest(sum[:]))
}

func (f *fake) signSHA256(body []byte) string {
	sum := sha256.Sum256(body)
	return header(kid, f.signDigest(sum[:]))
}

func (f *fake) signDigest(sum []byte) string {
	der, err := ecdsa.SignASN1(rand.Reader, f.pair, sum)
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(der)
}

// header is a signature header of these parts.
func header(kid, signature string) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, `{"alg":"ecdsa","kid":%q,"signature":%q,"digest":"SHA1"}`, kid, signature))
}

// signed is a notification with a signature header.
func signed(body []byte, value string) connector.Notification {
	return connector.Notification{Header: http.Header{"X-Ebay-Signature": {value}}, Body: body}
}
