/// What the columns of somebody's table give: a guess by their headers, for a person to look at.
public struct TableColumns: Hashable, Sendable {
  /// A column.
  public struct Column: Hashable, Sendable {
    /// Its header.
    public var header: String
    /// The key of rooms that it gives; nil where it gives nothing.
    public var key: String?
    /// Whether the header is that key, so that nothing has to be said about it.
    public var isNamedSo: Bool
  }

  /// The columns that have a header, in the table's order.
  public private(set) var columns: [Column]

  /// A guess. Of several columns that could give the same the first does, those that are named so before others.
  public init(headers: [String]) {
    columns = headers.filter { !$0.isEmpty }.map { Column(header: $0, key: nil, isNamedSo: false) }
    var given: Set<String> = []
    for (isNamedSo, key) in [(true, Self.key(named:)), (false, Self.key(meantBy:))] {
      for index in columns.indices where columns[index].key == nil {
        guard let key = key(columns[index].header), given.insert(key).inserted else { continue }
        columns[index].key = key
        columns[index].isNamedSo = isNamedSo
      }
    }
  }

  /// Says what a column gives; nil where it gives nothing. Another one that gave the same gives nothing then.
  /// - Returns: false where there is no such column, or no such key.
  public mutating func set(_ key: String?, of header: String) -> Bool {
    guard columns.contains(where: { $0.header == header }), key.map(Vocabulary.columns.contains) ?? true
    else {
      return false
    }
    for index in columns.indices {
      if columns[index].header == header {
        columns[index].key = key
        columns[index].isNamedSo = key != nil && Self.key(named: header) == key
      } else if key != nil, columns[index].key == key {
        columns[index].key = nil
        columns[index].isNamedSo = false
      }
    }
    return true
  }

  /// What a manifest has to say of columns that give something under another name.
  public var mapped: [ManifestDraft.Pair] {
    columns.compactMap { column in
      column.isNamedSo ? nil : column.key.map { ManifestDraft.Pair($0, column.header) }
    }
  }

  /// The headers of those that give nothing.
  public var ignored: [String] { columns.filter { $0.key == nil }.map(\.header) }

  /// The header of the column that gives a key.
  public func header(of key: String) -> String? { columns.first { $0.key == key }?.header }

  /// The keys that a column can give.
  public static var keys: [String] { Vocabulary.columns }

  private static func key(named header: String) -> String? {
    Vocabulary.key(spelt: header, among: Vocabulary.columns)
  }

  private static func key(meantBy header: String) -> String? {
    let word = String(header.lowercased().filter { $0.isLetter || $0.isNumber })
    return words.first { $0.words.contains(word) }?.key
  }

  private static let words: [(key: String, words: [String])] = [
    (
      "room",
      [
        "zimmer", "raum", "raumname", "zimmername", "zimmernummer", "zimmernr", "raumnummer", "raumnr",
        "roomname",
        "roomnumber", "roomno", "roomnr", "name", "bezeichnung", "chambre", "pièce", "camera", "habitación",
      ]
    ),
    (
      "minor",
      [
        "minorid", "minorno", "minornr", "minornummer", "beaconminor", "beacon", "beaconid", "beaconnr",
        "beaconno",
        "beaconnummer", "beaconnumber", "ibeaconminor",
      ]
    ),
    (
      "address",
      [
        "mac", "macaddress", "macadresse", "macadress", "bleaddress", "bleadresse", "blemac", "btaddress",
        "btmac",
        "bdaddr", "bdaddress", "bluetoothaddress", "bluetoothadresse", "adresse", "adress", "sensoraddress",
        "sensoradresse", "sensormac", "sensor", "label",
      ]
    ),
    (
      "floor",
      ["etage", "stock", "stockwerk", "geschoss", "geschoß", "level", "storey", "story", "étage", "piano"]
    ),
    ("wifi", ["wlan", "network", "netzwerk", "netz", "wifinetwork"]),
    ("tags", ["tag", "group", "gruppe", "groups", "gruppen"]),
    ("profile", ["family", "devicefamily"]),
  ]
}
