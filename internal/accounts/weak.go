package accounts

import (
	"slices"
	"strings"
)

// common are the most common passwords of eight characters or more, in lower case. Shorter words are in commonWords:
// attackers try them followed by digits and marks.
var common = strings.Fields(`
	password passwort passw0rd p@ssw0rd p@ssword pa$$word motdepasse contraseña qwertyuiop qwertyui asdfghjkl asdfasdf zxcvbnm1 zaq12wsx
	1qaz2wsx 1q2w3e4r 1q2w3e4r5t q1w2e3r4 qazwsxedc qwertzuiop azertyuiop qwer1234 abcd1234 1234abcd 1234qwer asdf1234 a1b2c3d4
	iloveyou sunshine princess football baseball superman starwars trustno1 whatever computer internet samantha michelle jennifer
	jonathan alexander christian elizabeth charlotte victoria benjamin maverick mercedes corvette chocolate butterfly liverpool
	chelsea1 arsenal1 barcelona realmadrid pokemon1 minecraft fortnite nintendo playstation welcome1 changeme changeit letmein1
	letmeinnow opensesame openup12 administrator administrateur rootroot adminadmin useruser guestguest testtest test1234 testing1
	default1 temppass temporary secret12 secretsecret topsecret mypassword yourpassword thepassword newpassword newpasswd
	passwordpassword passpass pass1234 pass12345 password12 password123 password1234
	bismillah jordan23 michael1 ashley12 hunter22 hunter2hunter2 mustang1 dragon12 monkey12 shadow12 master12 freedom1 blink182
	11223344 12341234 12344321 123123123 123321123 147258369 159753456 741852963 789456123 987654321 0987654321 102030405060
	31415926 27182818
`)

// commonWords are the beginnings of common passwords: such a word followed only by digits and marks is refused.
var commonWords = strings.Fields(`
	password passwort passw0rd pass admin root welcome letmein qwerty qwertz azerty abc abcd iloveyou monkey dragon
	master login test user guest hello secret changeme shadow sunshine princess football baseball superman michael spring summer
	autumn winter entrepot`)

// guessable is the reason for which a password is easy to guess, "" if it is not.
func guessable(password string, others []string) string {
	folded := strings.ToLower(strings.TrimSpace(password))
	for _, other := range others {
		if slices.Contains(obviousForms(other), folded) {
			return "must not be the e-mail address or the name"
		}
	}
	switch {
	case repeats(folded):
		return "must not be a repetition of a few characters"
	case climbs(folded):
		return "must not be a plain sequence such as 12345678"
	}
	word := strings.TrimRight(folded, "0123456789!?.*#$-_+@& ")
	if slices.Contains(common, folded) || slices.Contains(commonWords, word) && len(folded)-len(word) <= 4 {
		return "is one of the most common passwords, choose another"
	}
	return ""
}

// obviousForms are the passwords that people make from an e-mail address or a name.
func obviousForms(text string) []string {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return nil
	}
	local, domain, _ := strings.Cut(text, "@")
	joined := func(by string) string { return strings.ReplaceAll(text, " ", by) }
	return []string{text, local, domain, joined(""), joined("."), joined("-")}
}

// repeats reports whether a text is a repetition of at most three characters: aaaaaaaa, abababab, abcabcabc.
func repeats(text string) bool {
	runes := []rune(text)
	for period := 1; period <= 3; period++ {
		same := true
		for i := period; i < len(runes) && same; i++ {
			same = runes[i] == runes[i-period]
		}
		if same {
			return true
		}
	}
	return false
}

// climbs reports whether the characters of a text are consecutive, up or down: 12345678, hgfedcba, 67890123.
func climbs(text string) bool {
	runes := []rune(text)
	for _, step := range []rune{1, -1} {
		all := true
		for i := 1; i < len(runes) && all; i++ {
			d := runes[i] - runes[i-1]
			all = d == step || runes[i-1] == '9' && runes[i] == '0' && step == 1 || runes[i-1] == '0' && runes[i] == '9' && step == -1
		}
		if all {
			return true
		}
	}
	return false
}
