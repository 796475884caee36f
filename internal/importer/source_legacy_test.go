package importer

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// legacyTexts are words of catalogs, in the encodings that shops have them in. want is "" where a person has to say it.
var legacyTexts = []struct {
	name, want, text string
	encoding.Encoding
}{
	{"German", "windows-1252", "Größe,Müller,Tischläufer,Wäscheständer 3 m³,£5", charmap.Windows1252},
	{"one word", "windows-1252", "Café", charmap.Windows1252},
	{"French", "windows-1252", "Chaise pliante,Théière à l’ancienne,crème brûlée,Vêtements d'été,sœur", charmap.Windows1252},
	{"Spanish", "windows-1252", "Camión de niño,¿Qué?,Sillón,Mesa pequeña,Nº 5", charmap.Windows1252},
	{"Portuguese", "windows-1252", "Calção de banho,Pão,Ração para cães,Botões,Maçã", charmap.Windows1252},
	{"Danish", "windows-1252", "Blåbærgrød,Røde sko,Køkkenhåndklæde", charmap.Windows1252},
	{"Swedish", "windows-1252", "Skål,Kökshandduk,Träslöjd", charmap.Windows1252},
	{"signs", "windows-1252", "Sack 2 m³,5 £,½ inch,Brand® 4°", charmap.Windows1252},
	{"Polish", "windows-1250",
		"Żółta koszulka męska,Kubek biały,Poduszka różowa,Skarpetki wełniane,Łódź", charmap.Windows1250},
	{"Czech", "windows-1250", "Hrnek žlutý,Dětské tričko,Dřevěná lžíce,Přívěsek,Šála", charmap.Windows1250},
	{"Hungarian", "windows-1250",
		"Bögre zöld,Női póló,Fűszertartó,Ágynemű,Kötött sál,Előszoba", charmap.Windows1250},
	{"Croatian", "windows-1250",
		"Šalica,Dječja majica,Žlica,Ručnik,Čarape,Kišobran", charmap.Windows1250},
	{"Romanian", "windows-1250", "Cană,Tricou bărbaţi,Lingură,Pernă,Şosete,Faţă de masă", charmap.Windows1250},
	{"Russian", "windows-1251",
		"Кружка белая,Футболка мужская,Подушка,Носки шерстяные,ЛАМПА", charmap.Windows1251},
	{"Ukrainian", "windows-1251",
		"Кружка біла,Футболка чоловіча,Подушка,Шкарпетки вовняні", charmap.Windows1251},
	{"Chinese", "gbk", "白色马克杯,男士T恤衫,羊毛袜子,枕头,木勺子,儿童雨伞", simplifiedchinese.GBK},
	{"Japanese", "shift_jis",
		"マグカップ,メンズTシャツ,ウールの靴下,枕,木のスプーン,USBケーブル", japanese.ShiftJIS},
	{"Korean", "", "머그컵,남성용 티셔츠,양말,베개,숟가락", korean.EUCKR},
	{"Taiwanese", "", "白色馬克杯,男士T恤衫,羊毛襪子,枕頭,木勺子", traditionalchinese.Big5},
	{"one è", "", "Lampička", charmap.Windows1250},
}

func TestLegacyEncodingsAreDetected(t *testing.T) {
	for _, c := range legacyTexts {
		bytes, err := c.NewEncoder().String("sku,name\nA," + strings.ReplaceAll(c.text, ",", "\nA,") + "\n")
		if err != nil {
			t.Fatal(c.name, err)
		}
		scan := &textScan{}
		for _, b := range []byte(bytes) { // in the smallest blocks
			_, _ = scan.Write([]byte{b})
		}
		found, others, err := scan.charsetNamed("auto")
		switch {
		case err != nil:
			t.Error(c.name, err)
		case c.want == "" && len(others) == 0:
			t.Errorf("%s is taken for %s", c.name, found.name)
		case c.want != "" && (len(others) > 0 || found.name != c.want):
			t.Errorf("%s is taken for %s, or %v", c.name, found.name, others)
		}
	}
}

// What cannot be decided is asked for, with the words as they would be read, before anything is stored.
func TestUnclearEncodingsAreAskedFor(t *testing.T) {
	file := write(t, "sku,name,price\nA,Lampi\xE8ka,1\n")
	stops(t, Options{Kind: Products, File: file}, "Lampička (windows-1250)", "Lampièka (windows-1252)", "--encoding windows-125")
	if got := made(t, Options{Kind: Products, File: file, Encoding: "windows-1250"}); !strings.Contains(got, "Lampička") {
		t.Error(got)
	}
	found, err := Detect(t.Context(), Options{Kind: Products, File: file})
	if err != nil || !strings.Contains(found.Problem, "Say what letters are written in") || len(found.Columns) != 3 {
		t.Errorf("%+v, %v", found, err)
	}
	for _, name := range []string{"gbk", "GB2312", "Shift_JIS", "sjis", "big5", "euc-kr", "windows-1251", "cp1251", "koi8-r", "mac"} {
		if encodingNamed(plainName(name)) == nil {
			t.Errorf("--encoding %s is not known", name)
		}
	}
}
