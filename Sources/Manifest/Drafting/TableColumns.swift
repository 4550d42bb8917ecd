package import Model

/// The keys that the columns of a table give, guessed from their headers for a person to check.
package struct TableColumns: Hashable, Sendable {
  package struct Column: Hashable, Sendable {
    package var header: String
    /// The key of rooms that the column gives; nil for an ignored column.
    package var key: String?
    /// Whether the header itself is the key, so that the manifest need not map it.
    package var isNamedSo: Bool
  }

  /// The columns with a header, in the table's order.
  package private(set) var columns: [Column]
  package let keys: [String]

  /// Guesses the keys. If several columns match a key, an exact header wins, then the first column.
  package init(headers: [String], families: FamilyCatalogue) {
    let vocabulary = Vocabulary(families)
    keys = vocabulary.columns
    columns = headers.filter { !$0.isEmpty }.map { Column(header: $0, key: nil, isNamedSo: false) }
    var given: Set<String> = []
    for isNamedSo in [true, false] {
      for index in columns.indices where columns[index].key == nil {
        let header = columns[index].header
        guard let key = isNamedSo ? key(named: header) : vocabulary.key(meantBy: header, among: keys),
          given.insert(key).inserted
        else { continue }
        columns[index].key = key
        columns[index].isNamedSo = isNamedSo
      }
    }
  }

  /// Sets the key of a column; nil ignores the column. Another column with this key becomes ignored.
  /// - Returns: false when there is no such column or key.
  package mutating func set(_ key: String?, of header: String) -> Bool {
    guard columns.contains(where: { $0.header == header }), key.map(keys.contains) ?? true
    else {
      return false
    }
    for index in columns.indices {
      if columns[index].header == header {
        columns[index].key = key
        columns[index].isNamedSo = key != nil && self.key(named: header) == key
      } else if columns[index].key == key {
        columns[index].key = nil
        columns[index].isNamedSo = false
      }
    }
    return true
  }

  /// The mappings for columns whose header is not their key.
  package var mapped: [ManifestDraft.Pair] {
    columns.compactMap { column in
      column.isNamedSo ? nil : column.key.map { ManifestDraft.Pair($0, column.header) }
    }
  }

  package var ignored: [String] { columns.filter { $0.key == nil }.map(\.header) }

  package func header(of key: String) -> String? { columns.first { $0.key == key }?.header }

  private func key(named header: String) -> String? { Vocabulary.key(spelt: header, among: keys) }
}
