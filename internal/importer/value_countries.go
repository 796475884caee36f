package importer

import (
	"bytes"
	"strings"
	"sync"
)

// countryNames lists the countries of ISO 3166-1 by their English names, with other names that occur in order files
// behind "|". golang.org/x/text/language/display has names of an older edition (Swaziland), none that files really
// have (Holland, Ivory Coast), and makes the program 2.5 MB larger.
const countryNames = `
AD Andorra
AE United Arab Emirates|UAE
AF Afghanistan
AG Antigua and Barbuda
AI Anguilla
AL Albania
AM Armenia
AO Angola
AQ Antarctica
AR Argentina
AS American Samoa
AT Austria|Österreich
AU Australia
AW Aruba
AX Åland Islands|Aland Islands
AZ Azerbaijan
BA Bosnia and Herzegovina|Bosnia
BB Barbados
BD Bangladesh
BE Belgium|Belgique|België
BF Burkina Faso
BG Bulgaria
BH Bahrain
BI Burundi
BJ Benin
BL Saint Barthélemy
BM Bermuda
BN Brunei Darussalam|Brunei
BO Bolivia
BQ Bonaire, Sint Eustatius and Saba
BR Brazil|Brasil
BS Bahamas|The Bahamas
BT Bhutan
BV Bouvet Island
BW Botswana
BY Belarus
BZ Belize
CA Canada
CC Cocos (Keeling) Islands
CD Congo, Democratic Republic of the|DR Congo|Democratic Republic of the Congo
CF Central African Republic
CG Congo|Republic of the Congo
CH Switzerland|Schweiz|Suisse|Svizzera
CI Côte d'Ivoire|Cote d'Ivoire|Ivory Coast
CK Cook Islands
CL Chile
CM Cameroon
CN China
CO Colombia
CR Costa Rica
CU Cuba
CV Cabo Verde|Cape Verde
CW Curaçao|Curacao
CX Christmas Island
CY Cyprus
CZ Czechia|Czech Republic
DE Germany|Deutschland
DJ Djibouti
DK Denmark|Danmark
DM Dominica
DO Dominican Republic
DZ Algeria
EC Ecuador
EE Estonia
EG Egypt
EH Western Sahara
ER Eritrea
ES Spain|España
ET Ethiopia
FI Finland|Suomi
FJ Fiji
FK Falkland Islands
FM Micronesia
FO Faroe Islands
FR France
GA Gabon
GB United Kingdom|UK|Great Britain|England|Scotland|Wales|Northern Ireland|United Kingdom of Great Britain and Northern Ireland
GD Grenada
GE Georgia
GF French Guiana
GG Guernsey
GH Ghana
GI Gibraltar
GL Greenland
GM Gambia|The Gambia
GN Guinea
GP Guadeloupe
GQ Equatorial Guinea
GR Greece
GS South Georgia and the South Sandwich Islands
GT Guatemala
GU Guam
GW Guinea-Bissau
GY Guyana
HK Hong Kong|Hong Kong SAR
HM Heard Island and McDonald Islands
HN Honduras
HR Croatia
HT Haiti
HU Hungary
ID Indonesia
IE Ireland|EIRE|Republic of Ireland
IL Israel
IM Isle of Man
IN India
IO British Indian Ocean Territory
IQ Iraq
IR Iran
IS Iceland
IT Italy|Italia
JE Jersey
JM Jamaica
JO Jordan
JP Japan
KE Kenya
KG Kyrgyzstan
KH Cambodia
KI Kiribati
KM Comoros
KN Saint Kitts and Nevis
KP North Korea|Korea, Democratic People's Republic of
KR South Korea|Korea|Korea, Republic of|Republic of Korea
KW Kuwait
KY Cayman Islands
KZ Kazakhstan
LA Laos|Lao People's Democratic Republic
LB Lebanon
LC Saint Lucia
LI Liechtenstein
LK Sri Lanka
LR Liberia
LS Lesotho
LT Lithuania
LU Luxembourg
LV Latvia
LY Libya
MA Morocco
MC Monaco
MD Moldova|Republic of Moldova
ME Montenegro
MF Saint Martin
MG Madagascar
MH Marshall Islands
MK North Macedonia|Macedonia
ML Mali
MM Myanmar|Burma
MN Mongolia
MO Macao|Macau
MP Northern Mariana Islands
MQ Martinique
MR Mauritania
MS Montserrat
MT Malta
MU Mauritius
MV Maldives
MW Malawi
MX Mexico|México
MY Malaysia
MZ Mozambique
NA Namibia
NC New Caledonia
NE Niger
NF Norfolk Island
NG Nigeria
NI Nicaragua
NL Netherlands|The Netherlands|Holland|Nederland
NO Norway|Norge
NP Nepal
NR Nauru
NU Niue
NZ New Zealand
OM Oman
PA Panama
PE Peru
PF French Polynesia
PG Papua New Guinea
PH Philippines|The Philippines
PK Pakistan
PL Poland|Polska
PM Saint Pierre and Miquelon
PN Pitcairn
PR Puerto Rico
PS Palestine|State of Palestine
PT Portugal
PW Palau
PY Paraguay
QA Qatar
RE Réunion|Reunion
RO Romania
RS Serbia
RU Russia|Russian Federation
RW Rwanda
SA Saudi Arabia
SB Solomon Islands
SC Seychelles
SD Sudan
SE Sweden|Sverige
SG Singapore
SH Saint Helena
SI Slovenia
SJ Svalbard and Jan Mayen
SK Slovakia
SL Sierra Leone
SM San Marino
SN Senegal
SO Somalia
SR Suriname
SS South Sudan
ST Sao Tome and Principe
SV El Salvador
SX Sint Maarten
SY Syria|Syrian Arab Republic
SZ Eswatini|Swaziland
TC Turks and Caicos Islands
TD Chad
TF French Southern Territories
TG Togo
TH Thailand
TJ Tajikistan
TK Tokelau
TL Timor-Leste|East Timor
TM Turkmenistan
TN Tunisia
TO Tonga
TR Türkiye|Turkey
TT Trinidad and Tobago
TV Tuvalu
TW Taiwan
TZ Tanzania
UA Ukraine
UG Uganda
UM United States Minor Outlying Islands
US United States|USA|U.S.A.|United States of America
UY Uruguay
UZ Uzbekistan
VA Holy See|Vatican City|Vatican
VC Saint Vincent and the Grenadines
VE Venezuela
VG British Virgin Islands
VI US Virgin Islands|U.S. Virgin Islands
VN Vietnam|Viet Nam
VU Vanuatu
WF Wallis and Futuna
WS Samoa
YE Yemen
YT Mayotte
ZA South Africa
ZM Zambia
ZW Zimbabwe
`

// countryCodes maps codes and names, in lower case, to codes.
var countryCodes = sync.OnceValue(func() map[string]string {
	codes := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(countryNames)) {
		code, names, _ := strings.Cut(strings.TrimSpace(line), " ")
		codes[strings.ToLower(code)] = code
		for name := range strings.SplitSeq(names, "|") {
			codes[strings.ToLower(name)] = code
		}
	}
	return codes
})

// countryCode is the ISO 3166-1 alpha-2 code of a country given by code or name, "" when it has none.
func countryCode(text []byte) string { return countryCodes()[string(bytes.ToLower(text))] }
