import Bluetooth
import Model
import Source
import YAML

/// Other words for keys, in the languages of the people who write them.
extension Vocabulary {
  /// The key that another word certainly means among the known ones; nil for a word without such a meaning.
  func key(meantBy word: String, among known: [String]) -> String? {
    let word = word.lowercased().filter { $0.isLetter || $0.isNumber }
    let numbering = numberKey.map { [(key: $0, words: Self.numberWords)] } ?? []
    return (numbering + Self.words).first { known.contains($0.key) && $0.words.contains(word) }?.key
  }

  /// The key of the first setting that numbers devices.
  var numberKey: String? { counted.first?.name.rawValue }

  /// The words for that key.
  private static let numberWords = words(
    """
    minorid minorno minornr minornummer minornumber beaconminor beacon beaconid beaconnr beaconno beaconnummer \
    beaconnumber ibeaconminor ibeacon minorwert minorvalue numérobeacon nbeacon nºbeacon numerobeacon númerobeacon \
    mineur menor minore マイナー マイナー番号 マイナー値 ビーコン ビーコン番号
    """)

  // In English, German, French, Spanish, Italian, Dutch and Japanese.
  private static let words: [(key: String, words: Set<String>)] = [
    (
      "room",
      words(
        """
        zimmer raum raumname zimmername zimmernummer zimmernr raumnummer raumnr roomname roomnumber roomno roomnr \
        rooms name bezeichnung raumbezeichnung chambre chambren chambreno numérodechambre ndechambre nchambre pièce \
        salle local camera stanza ncamera numerocamera numerostanza locale habitación habitacion sala cuarto \
        nhabitación númerodehabitación kamer kamernummer kamernr ruimte ruimtenummer lokaal 部屋 部屋番号 部屋名 客室 客室番号 号室 ルーム \
        space spacename unit
        """)
    ),
    (
      "address",
      words(
        """
        mac macaddress macadresse macadress maccode macid bleaddress bleadresse blemac btaddress btmac bdaddr \
        bdaddress bluetoothaddress bluetoothadresse bluetoothmac adresse adress sensoraddress sensoradresse sensormac \
        sensor label adressemac adressebluetooth direcciónmac direccionmac dirección indirizzomac indirizzo macadres \
        adres bluetoothadres macアドレス アドレス bluetoothアドレス
        """)
    ),
    (
      "floor",
      words(
        """
        etage stock stockwerk geschoss geschoß ebene level storey story étage niveau piano livello planta piso nivel \
        verdieping 階 フロア 階数
        """)
    ),
    (
      "wifi",
      words(
        """
        wlan network netzwerk netz wifinetwork networks ssid wifissid wlanssid réseau réseauwifi red redwifi rete \
        retewifi netwerk wifinetwerk ネットワーク 無線lan
        """)
    ),
    ("tags", words("tag group gruppe groups gruppen groupe grupo gruppo groep グループ")),
    ("profile", words("family devicefamily")),
    ("ssid", words("name networkname wifiname wlanname")),
    ("password", words("passwort kennwort passphrase psk wifipassword wlanpasswort pw pwd")),
    ("building", words("name gebäude objekt site")),
  ]

  private static func words(_ text: String) -> Set<String> {
    Set(text.split(separator: " ").map(String.init))
  }
}

extension ManifestDecoder {
  /// The entry that an unknown one certainly means: another spelling of its key, another word for it, the singular
  /// of a list's key, or `minor:102`. It is reported, with its correction. Nil without a certain meaning.
  mutating func corrected(
    _ entry: YAMLNode.Entry, of thing: String, among known: [String], in all: [YAMLNode.Entry]
  )
    -> YAMLNode.Entry?
  {
    func isFree(_ key: String) -> Bool { known.contains(key) && !all.contains { $0.key == key } }
    if let colon = entry.key.firstIndex(of: ":"), entry.value.isNull, texts.isPlain(entry.keyRange),
      case let key = String(entry.key[..<colon]), isFree(key)
    {
      let text = String(entry.key[entry.key.index(after: colon)...])
      if vocabulary.openValues.contains(key) { show(entry.keyRange, of: text) }
      var place = entry.keyRange.start
      place.column += key.unicodeScalars.count + 1
      place.offset += key.utf8.count + 1
      error(missingSpaceAfter: key, at: SourceRange(start: entry.keyRange.start, end: place))
      let value = YAMLNode(
        .scalar(text, isPlain: true), range: SourceRange(start: place, end: entry.keyRange.end))
      return YAMLNode.Entry(key: key, keyRange: entry.keyRange, value: value)
    }
    let plural = entry.value.text == nil && known.contains(entry.key + "s") ? entry.key + "s" : nil
    let word = vocabulary.all.contains(entry.key) ? nil : vocabulary.key(meantBy: entry.key, among: known)
    guard let key = Vocabulary.otherSpelling(of: entry.key, among: known) ?? plural ?? word,
      // `sensor` could also be the sensor's kind.
      key != "address" || entry.value.text.flatMap({ BluetoothAddress($0) }) != nil
    else { return nil }
    show(entry.keyRange)
    error(
      .unknownKey, "unknown key in \(thing)", at: entry.keyRange, advice: "write `\(key)`",
      fix: isFree(key) ? .replace(entry.keyRange, with: key) : nil)
    return YAMLNode.Entry(key: key, keyRange: entry.keyRange, value: entry.value)
  }

  /// Reports a key whose colon has no space after it; the range ends there.
  private mutating func error(missingSpaceAfter key: String, at range: SourceRange) {
    let finding = Diagnostic(missingSpaceAfter: key, at: range)
    error(finding.code, finding.message, at: range, advice: finding.advice, fix: finding.fix)
  }
}
