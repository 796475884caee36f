package server

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"time"

	"golang.org/x/crypto/acme"

	"entrepot/internal/certificates"
	"entrepot/internal/db"
)

// Types of challenges (RFC 8555, section 8.3; RFC 8737).
const (
	http01  = "http-01"
	tlsALPN = "tls-alpn-01"
)

// order orders a certificate and returns its new private key and its chain, PEM. If the authority does not reach one
// way of proof, the other is tried.
func (i *issued) order(ctx context.Context, domain string) (text string, err error) {
	client, err := i.account(ctx)
	if err != nil {
		return "", fmt.Errorf("the account with %s: %w", i.Directory, err)
	}
	ways := []string{tlsALPN}
	if i.HTTPAddr != "" {
		ways = []string{http01, tlsALPN}
	}
	var failures []error
	for _, way := range ways {
		text, err := i.orderBy(ctx, client, domain, way)
		if err == nil {
			return text, nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", way, err))
		if _, refused := errors.AsType[*acme.AuthorizationError](err); !refused {
			break
		}
	}
	return "", errors.Join(failures...)
}

// account is a client with the store's account at the authority, which is registered when it does not exist yet.
func (i *issued) account(ctx context.Context) (*acme.Client, error) {
	text, err := i.secret(ctx, certificates.Account, i.Directory)
	if err == nil && text == "" {
		text, err = i.newAccount(ctx)
	}
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("its stored key is no PEM")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("its stored key cannot sign")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: i.roots}
	transport.DisableKeepAlives = true
	client := &acme.Client{Key: signer, DirectoryURL: i.Directory, UserAgent: "entrepot",
		HTTPClient: &http.Client{Transport: transport, Timeout: 30 * time.Second}}
	var contact []string
	if i.Email != "" {
		contact = []string{"mailto:" + i.Email}
	}
	_, err = client.Register(ctx, &acme.Account{Contact: contact}, acme.AcceptTOS)
	if errors.Is(err, acme.ErrAccountAlreadyExists) {
		err = nil
	}
	return client, err
}

// newAccount stores the key of a new account and returns it; of several nodes the first one's.
func (i *issued) newAccount(ctx context.Context) (text string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	if text, err = keyPEM(key); err != nil {
		return "", err
	}
	s := i.store.Load()
	err = s.DB.Write(ctx, db.Across, func(tx *db.Tx) error {
		encrypted, err := s.Commerce.Encrypt(tx, text, certificates.Place(certificates.Account, i.Directory))
		if err == nil {
			certificates.PutFirst(tx, certificates.Account, i.Directory, encrypted)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return i.secret(ctx, certificates.Account, i.Directory)
}

// orderBy is order with one way of proof.
func (i *issued) orderBy(ctx context.Context, client *acme.Client, domain, way string) (text string, err error) {
	order, err := client.AuthorizeOrder(ctx, acme.DomainIDs(domain))
	if err != nil {
		return "", err
	}
	for _, address := range order.AuthzURLs {
		if err := i.prove(ctx, client, address, domain, way); err != nil {
			return "", err
		}
	}
	if order, err = client.WaitOrder(ctx, order.URI); err != nil {
		return "", err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{DNSNames: []string{domain}}, key)
	if err != nil {
		return "", err
	}
	chain, _, err := client.CreateCertFromOrder(ctx, order, request, true)
	if err != nil {
		return "", err
	}
	if text, err = keyPEM(key); err != nil {
		return "", err
	}
	for _, der := range chain {
		text += string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	}
	pair, err := parsePair(text)
	if err == nil {
		err = pair.Leaf.VerifyHostname(domain)
	}
	return text, err
}

// prove answers one challenge and waits until the authority has looked at the answer. The answer is in the store before
// the authority is asked to look, because it may ask any node.
func (i *issued) prove(ctx context.Context, client *acme.Client, address, domain, way string) error {
	authorization, err := client.GetAuthorization(ctx, address)
	if err != nil || authorization.Status == acme.StatusValid {
		return err
	}
	var challenge *acme.Challenge
	for _, offered := range authorization.Challenges {
		if offered.Type == way {
			challenge = offered
		}
	}
	if challenge == nil {
		return fmt.Errorf("the authority does not offer it for %s", domain)
	}
	name, text, err := i.answer(client, challenge, domain)
	if err != nil {
		return err
	}
	s := i.store.Load()
	err = s.DB.Write(ctx, db.Across, func(tx *db.Tx) error {
		return i.put(tx, certificates.Challenge, name, text, tx.Now().Add(orderTime))
	})
	if err != nil {
		return err
	}
	if _, err = client.Accept(ctx, challenge); err == nil {
		_, err = client.WaitAuthorization(ctx, authorization.URI)
	}
	return errors.Join(err, s.DB.Write(context.WithoutCancel(ctx), db.Across, func(tx *db.Tx) error {
		certificates.Remove(tx, certificates.Challenge, name)
		return nil
	}))
}

// answer is what answers a challenge, and its name in the store.
func (i *issued) answer(client *acme.Client, challenge *acme.Challenge, domain string) (name, text string, err error) {
	if challenge.Type == http01 {
		text, err = client.HTTP01ChallengeResponse(challenge.Token)
		return http01 + " " + challenge.Token, text, err
	}
	pair, err := client.TLSALPN01ChallengeCert(challenge.Token, domain)
	if err != nil {
		return "", "", err
	}
	if text, err = keyPEM(pair.PrivateKey); err != nil {
		return "", "", err
	}
	return tlsALPN + " " + domain, text + string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})), nil
}

// keyPEM is a private key as PEM.
func keyPEM(key any) (string, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	err = pem.Encode(&text, &pem.Block{Type: "PRIVATE KEY", Bytes: der})
	return text.String(), err
}

// selfSigned is a certificate that vouches for nothing.
func selfSigned() (pair tls.Certificate) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotBefore: time.Unix(0, 0),
		NotAfter: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err) // the template is constant
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
