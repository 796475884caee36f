package api

import (
	"net/http"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/limits"
)

// notificationRoutes are interface §5.3 and §6.3: notifications of platforms, which the platforms sign; no key, no
// login. The auction marketplace uses one address for its handshake and its events, so both verbs answer on both.
var notificationRoutes = []*route{
	{method: "POST", path: "/api/v1/webhooks/platform/{channelId}/{platform}", name: "receiveNotification", section: "6.3",
		summary: "A platform's notification", errors: []int{401}, access: public, raw: true,
		status: http.StatusCreated, others: map[int]func(*apijson.Writer){http.StatusOK: samplePing}, answer: sampleReceived,
		serve: (*API).receiveNotification},
	{method: "POST", path: "/api/v1/webhooks/platform/{channelId}/{platform}/challenge", name: "receiveChallengeNotification", section: "6.3",
		summary: "A platform's notification", errors: []int{401}, access: public, raw: true,
		status: http.StatusCreated, others: map[int]func(*apijson.Writer){http.StatusOK: samplePing}, answer: sampleReceived,
		serve: (*API).receiveNotification},
	{method: "GET", path: "/api/v1/webhooks/platform/{channelId}/{platform}", name: "answerHandshake", section: "4.5",
		summary: "A platform's handshake", errors: []int{400}, access: public, raw: true,
		query: func(q *apijson.Query) { q.Text("challenge_code") }, answer: sampleChallenge, serve: (*API).answerHandshake},
	{method: "GET", path: "/api/v1/webhooks/platform/{channelId}/{platform}/challenge", name: "answerChallenge", section: "4.5",
		summary: "A platform's handshake", errors: []int{400}, access: public, raw: true,
		query: func(q *apijson.Query) { q.Text("challenge_code") }, answer: sampleChallenge, serve: (*API).answerHandshake},
}

// platformChannel finds the channel and connector of the path.
func (a *API) platformChannel(r *request) (c channels.Channel, known connector.Connector, err error) {
	channel, err := pathID[id.Channel](r, "channelId", "channel")
	if err != nil {
		return c, nil, err
	}
	err = a.DB.Read(r.ctx(), db.Across, func(tx *db.Tx) (err error) {
		c, known, err = a.Commerce.ChannelOf(tx, channel, r.http.PathValue("platform"))
		return err
	})
	return c, known, err
}

// receiveNotification serves POST …/webhooks/platform/{channelId}/{platform}: 201, 200 for a test call; 400, 401, 404.
func (a *API) receiveNotification(r *request) (answer, error) {
	got, err := a.notification(r)
	if !got.Verified { // an invalid notification counts against its sender's limit, never against the channel
		if over := a.limit(r, a.address(r), accounts.Starter, nil); over != nil {
			return answer{}, over
		}
	}
	if err != nil {
		return answer{}, err
	}
	w := apijson.NewWriter(128)
	writeReceived(w, got)
	status := http.StatusCreated
	if got.Ping {
		status = http.StatusOK
	}
	return answer{status: status, body: w.Bytes()}, nil
}

// notification reads and verifies a platform's notification, and queues the work that it asks for.
func (a *API) notification(r *request) (commerce.Received, error) {
	c, known, err := a.platformChannel(r)
	if err != nil {
		return commerce.Received{}, err
	}
	raw, err := a.readAll(r, limits.MaxNotification)
	if err != nil {
		return commerce.Received{}, err
	}
	// The pull that a notification asks for is the channel's own; the erasure of a person is the service's.
	return a.Commerce.ReceiveNotification(r.ctx(), a.store(r), c, known, connector.Notification{Header: r.http.Header, Body: raw})
}

func writeReceived(w *apijson.Writer, got commerce.Received) {
	w.Record("NotificationReceived", "")
	w.Bool("received", true)
	switch {
	case got.Ping:
		w.Bool("ignored", true)
	case got.Duplicate:
		w.Bool("duplicate", true)
	default:
		apijson.Word(w, "action", got.Outcome.Action)
		if got.Outcome.Action == connector.Ignored {
			w.Bool("ignored", true)
			w.Text("reason", got.Outcome.Reason)
		}
	}
	w.End()
}

// sampleReceived are the answers to notifications that are processed, ignored and known already.
func sampleReceived(w *apijson.Writer) {
	writeReceived(w, commerce.Received{Outcome: connector.Outcome{Action: connector.StockPushQueued}})
	writeReceived(w, commerce.Received{Outcome: connector.Outcome{Action: connector.Ignored, Reason: "this event is not handled"}})
	writeReceived(w, commerce.Received{Duplicate: true})
}

func samplePing(w *apijson.Writer) { writeReceived(w, commerce.Received{Ping: true}) }

// answerHandshake serves GET …/webhooks/platform/{channelId}/{platform}[/challenge]: 200; 400, 404.
func (a *API) answerHandshake(r *request) (answer, error) {
	c, known, err := a.platformChannel(r)
	if err != nil {
		return answer{}, err
	}
	asked, ok := known.(connector.Challenger)
	if !ok {
		return answer{}, apperr.Missing("handshake")
	}
	opened, err := a.Commerce.Opened(c)
	if err != nil {
		return answer{}, err
	}
	body, err := asked.Challenge(opened, a.publicBase(r), r.http.URL.Query())
	return answer{status: http.StatusOK, body: body}, err
}

// publicBase is the service's public address, "" for none; in development mode that of the request.
func (a *API) publicBase(r *request) string {
	if a.PublicURL != "" {
		return a.PublicURL
	}
	if a.Dev {
		return "http://" + r.http.Host
	}
	return ""
}

func sampleChallenge(w *apijson.Writer) {
	w.Record("ChallengeAnswer", "")
	w.Text("challengeResponse", "ca527df75caa230092d7e90484071e8f05d63068f1317973d6a3a42593734bbb")
	w.End()
}
