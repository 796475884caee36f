package fakeshop

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // the digest eBay signs with
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

// keyID names the key pair by which the account signs.
const keyID = "f0f0f0f0-1111-4222-8333-444444444444"

// SellerUserID is the seller's id in notifications.
const SellerUserID = "u1"

// newPair creates the key pair.
func newPair() *ecdsa.PrivateKey {
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // there is no randomness
	}
	return pair
}

// notify queues what eBay sends about an order; a.mu is held.
func (a *Account) notify(topic string, o *order) {
	a.Notices.Add(topic, object{"metadata": object{"topic": topic, "schemaVersion": "1.0", "deprecated": false},
		"notification": object{"notificationId": "n-" + a.id(), "eventDate": stamp(a.Now()), "publishAttemptCount": 1,
			"data": object{"user": object{"userId": SellerUserID, "username": "fake-seller"}, "order": object{"orderId": o.id}}}})
}

// Withdraw notifies that a user of eBay, the seller or another one, has withdrawn the application's access.
func (a *Account) Withdraw(userID, username string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.account("AUTHORIZATION_REVOCATION", userID, username)
}

// Leave notifies that a buyer's account was deleted.
func (a *Account) Leave(userID, username string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.account("MARKETPLACE_ACCOUNT_DELETION", userID, username)
}

// account queues what eBay sends about a user; a.mu is held.
func (a *Account) account(topic, userID, username string) {
	a.Notices.Add(topic, object{"metadata": object{"topic": topic, "schemaVersion": "1.0", "deprecated": false},
		"notification": object{"notificationId": "n-" + a.id(), "eventDate": stamp(a.Now()), "publishAttemptCount": 1,
			"data": object{"userId": userID, "username": username, "eiasToken": "nY+sHZ2PrBmdj6wVnY+sEZ2PrA2dj6wJnY+gAZGEpwmdj6x9nY+seQ=="}}})
}

// Deliver sends the account's notifications to the destinations that subscribed to them, until the context ends.
func (a *Account) Deliver(ctx context.Context) {
	a.Notices.Deliver(ctx, a.destinationOf, func(l fakeshop.Letter, header http.Header) {
		sum := sha1.Sum(l.Body) //nolint:gosec // the digest eBay signs with
		signature, err := ecdsa.SignASN1(rand.Reader, a.pair, sum[:])
		if err != nil {
			panic(err) // there is no randomness
		}
		text, err := json.Marshal(object{"alg": "ecdsa", "kid": keyID, "signature": base64.StdEncoding.EncodeToString(signature),
			"digest": "SHA1"})
		if err != nil {
			panic(err) // plain values
		}
		header.Set("X-Ebay-Signature", base64.StdEncoding.EncodeToString(text))
	})
}

// destinationOf returns the address for a topic, "" for none.
func (a *Account) destinationOf(topic string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, sub := range a.topics {
		if sub["topicId"] != topic || sub["status"] != "ENABLED" {
			continue
		}
		for _, place := range a.places {
			if place["destinationId"] == sub["destinationId"] && place["status"] == "ENABLED" {
				return endpointOf(place)
			}
		}
	}
	return ""
}

func endpointOf(place object) string {
	config, _ := place["deliveryConfig"].(object)
	endpoint, _ := config["endpoint"].(string)
	return endpoint
}

// publicKey returns the public half of the key pair, if the request has a token of the application.
func (a *Account) publicKey(w http.ResponseWriter, r *http.Request) {
	der, err := x509.MarshalPKIXPublicKey(&a.pair.PublicKey)
	switch {
	case err != nil:
		fakeshop.JSON(w, http.StatusInternalServerError, problem(25001, "A system error has occurred."))
	case !asApp(r) || !a.authorized(r):
		fakeshop.JSON(w, http.StatusUnauthorized, problem(1001, "Invalid access token"))
	case r.PathValue("kid") != keyID:
		fakeshop.JSON(w, http.StatusNotFound, problem(195011, "The specified public key ID does not exist."))
	default:
		fakeshop.JSON(w, http.StatusOK, object{"algorithm": "ECDSA", "digest": "SHA1",
			"key": "-----BEGIN PUBLIC KEY-----" + base64.StdEncoding.EncodeToString(der) + "-----END PUBLIC KEY-----"})
	}
}

// proves reports whether a new destination answers the challenge as its owner must.
func proves(ctx context.Context, place object) bool {
	config, _ := place["deliveryConfig"].(object)
	code, endpoint := rand.Text(), endpointOf(place)
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoint+"?challenge_code="+url.QueryEscape(code), nil)
	if err != nil {
		return false
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer got.Body.Close()
	var body struct{ ChallengeResponse string }
	sum := sha256.Sum256(fmt.Append(nil, code, config["verificationToken"], endpoint))
	return got.StatusCode == http.StatusOK && json.NewDecoder(got.Body).Decode(&body) == nil &&
		body.ChallengeResponse == hex.EncodeToString(sum[:])
}
