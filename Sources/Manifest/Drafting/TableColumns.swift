import Bluetooth
package import CSV
package import Model

/// What the columns of a table give, by their headers and by what is in them, for a person to check.
///
/// A header is the row with the most known words. Content alone decides only which column has the addresses; for another key
/// that is needed it only gives candidates, because numbers of rooms are small distinct numbers, too.
package struct TableColumns: Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// The header is the key itself, so that a manifest need not map it.
    case name
    /// The header is a word for the key.
    case word
    /// All its cells are addresses.
    case content
    /// A person said so.
    case given
  }

  package struct Column: Hashable, Sendable {
    /// From 0.
    package let index: Int
    /// The text of its header; the letter of the column if it has none, or another column has the same.
    package let header: String
    /// The key of rooms that the column gives; nil for an ignored column.
    package var key: String?
    package var reason: Reason?
    /// The secret of labels that its header names, whose cells must not be shown.
    package fileprivate(set) var secret: String?
    let hasHeader: Bool
  }

  /// A key for which no column is certain.
  package struct Question: Hashable, Sendable {
    package var key: String
    /// The headers of the columns that it may be, the likeliest first.
    package var candidates: [String]
    /// Whether their headers mean it; otherwise only what is in them is possible.
    package var isByWord: Bool
  }

  /// The columns with a header or a cell, in the table's order.
  package private(set) var columns: [Column] = []
  /// The row that names the columns, from 0; nil if the first row is a room already.
  package let header: Int?
  /// Whether the header has known words.
  package let isNamed: Bool
  /// The rows below the header.
  package let rows: [[CSVTable.Cell]]
  package private(set) var questions: [Question] = []
  /// What was given for columns or keys that do not exist.
  package private(set) var unknown: [ManifestDraft.Pair] = []
  package let keys: [String]

  /// - Parameters:
  ///   - needed: The keys that every room must have.
  ///   - given: Keys with the header of their column, by a person; an empty key ignores the column.
  ///   - isAddress: Whether the text of a cell has an address.
  package init(
    _ table: CSVTable, families: FamilyCatalogue, needed: [String] = [], given: [ManifestDraft.Pair] = [],
    isAddress: @escaping (String) -> Bool = { BluetoothAddress($0) != nil }
  ) {
    let vocabulary = Vocabulary(families)
    keys = vocabulary.columns
    let secrets = vocabulary.secretKeys.texts
    let named = vocabulary.header(of: table) {
      vocabulary.column(named: $0) != nil || Vocabulary.key(spelt: $0, among: secrets.sorted()) != nil
    }
    isNamed = named != nil
    header = named ?? Self.headerAboveAddresses(in: table, isAddress)
    rows = Array(table.rows.dropFirst(header.map { $0 + 1 } ?? 0))
    let headers = header.map { table.rows[$0].map(\.text.oneLine) } ?? []
    let width = max(headers.count, rows.lazy.map(\.count).max() ?? 0)
    for index in 0..<width {
      let text = index < headers.count ? headers[index] : ""
      guard !text.isEmpty || !values(of: index).allSatisfy(\.isEmpty) else { continue }
      let hasHeader = !text.isEmpty && headers.count { $0 == text } == 1
      let secret = secrets.first { Vocabulary.key(spelt: text, among: [$0]) != nil }
      columns.append(
        Column(
          index: index, header: hasHeader ? text : Self.letters(of: index), secret: secret,
          hasHeader: hasHeader))
    }
    for pair in given {
      let isSecret = secrets.contains(pair.key)
      guard let index = columns.firstIndex(where: { $0.header == pair.value }),
        pair.key.isEmpty || isSecret || keys.contains(pair.key)
      else {
        unknown.append(pair)
        continue
      }
      columns[index].secret = isSecret ? pair.key : nil
      columns[index].key = pair.key.isEmpty || isSecret ? nil : pair.key
      columns[index].reason = .given
    }
    let addresses = Set(columns.map(\.index).filter { hasAddresses($0, isAddress) })
    for key in keys where !given.contains(where: { $0.key == key }) {
      find(key, needed.contains(key), vocabulary, addresses)
    }
  }

  private mutating func find(_ key: String, _ isNeeded: Bool, _ vocabulary: Vocabulary, _ addresses: Set<Int>)
  {
    let free = columns.indices.filter { columns[$0].reason == nil && columns[$0].secret == nil }
    func indices(_ isOne: (Column) -> Bool) -> [Int] { free.filter { isOne(columns[$0]) } }
    let named = indices { Vocabulary.key(spelt: $0.header, among: keys) == key }
    var found = named.isEmpty ? indices { vocabulary.column(named: $0.header) == key } : named
    var reason = named.isEmpty ? Reason.word : .name
    if key == "address" {
      // “Adresse” may be that of the house, and “Label” anything.
      let byContent = indices { addresses.contains($0.index) }
      let both = found.filter(byContent.contains)
      if !both.isEmpty {
        found = both
      } else if !byContent.isEmpty {
        (found, reason) = (byContent, .content)
      } else {
        found = found.filter {
          columns[$0].header.lowercased() == key || values(of: columns[$0].index).allSatisfy(\.isEmpty)
        }
      }
    }
    if found.count == 1 {
      columns[found[0]].key = key
      columns[found[0]].reason = reason
    } else if found.count > 1 {
      questions.append(Question(key: key, candidates: found.map { columns[$0].header }, isByWord: true))
    } else if isNeeded {
      let possible = indices { !addresses.contains($0.index) && isPossible($0.index, key, vocabulary) }
      // Names before numbers.
      let names =
        key == "room"
        ? possible.filter { index in !values(of: columns[index].index).allSatisfy(\.isNumber) } : []
      let order = names + possible.filter { !names.contains($0) }
      questions.append(Question(key: key, candidates: order.map { columns[$0].header }, isByWord: false))
    }
  }

  /// The cells of a column below the header, row by row; an empty text if a row is too short.
  package func values(of index: Int) -> [String] {
    rows.map { index < $0.count ? $0[index].text : "" }
  }

  /// Whether at least half of the cells with a text are addresses. Twelve decimal digits alone are rather an article's number.
  private func hasAddresses(_ index: Int, _ isAddress: (String) -> Bool) -> Bool {
    let texts = values(of: index).filter { !$0.isEmpty }
    let addresses = texts.filter(isAddress)
    return !addresses.isEmpty && addresses.count * 2 >= texts.count && !addresses.allSatisfy(\.isNumber)
  }

  /// Whether a column can give each room a value of its own.
  private func isPossible(_ index: Int, _ key: String, _ vocabulary: Vocabulary) -> Bool {
    let texts = values(of: index).filter { !$0.isEmpty }
    guard !texts.isEmpty, texts.count * 2 > rows.count, Set(texts).count == texts.count else { return false }
    guard let counted = vocabulary.counted.first(where: { $0.name.rawValue == key }),
      case .integer(let bounds) = counted.kind
    else { return true }
    return texts.allSatisfy { Int($0.withoutFraction, in: bounds) != nil }
  }

  /// The row above the first one with an address, if it has several texts; nil if that is the first one. The first row of a
  /// table without addresses.
  private static func headerAboveAddresses(in table: CSVTable, _ isAddress: (String) -> Bool) -> Int? {
    let first = table.rows.firstIndex { row in row.contains { isAddress($0.text) && !$0.text.isNumber } }
    guard let first else { return table.rows.isEmpty ? nil : 0 }
    return first > 0 && table.rows[first - 1].count { !$0.text.isEmpty } > 1 ? first - 1 : nil
  }

  /// The letters of a column in a spreadsheet: `AB`.
  private static func letters(of index: Int) -> String {
    let letter = String(UnicodeScalar(UInt8(65 + index % 26)))
    return index < 26 ? letter : letters(of: index / 26 - 1) + letter
  }

  package func column(of key: String) -> Column? { columns.first { $0.key == key } }

  /// The mappings for columns whose header is not their key.
  package var mapped: [ManifestDraft.Pair] {
    columns.compactMap { column in
      column.reason != nil && column.reason != .name
        ? column.key.map { ManifestDraft.Pair($0, column.header) } : nil
    }
  }

  package var ignored: [String] { columns.filter { $0.key == nil }.map(\.header) }

  /// Whether a manifest can name the table: each column has a header of its own.
  package var haveHeaders: Bool { header != nil && columns.allSatisfy(\.hasHeader) }
}

extension Vocabulary {
  /// The row that names the columns: the first of those with the most known words, and with two unless all rows have a
  /// single text. Nil if there is none.
  func header(of table: CSVTable, _ isKnown: (String) -> Bool) -> Int? {
    // More rows are no title.
    let rows = table.rows.prefix(50)
    let counts = rows.map { row in row.count { !$0.text.isEmpty && isKnown($0.text.oneLine) } }
    let width = rows.map { row in row.count { !$0.text.isEmpty } }.max() ?? 0
    guard let most = counts.max(), most >= min(max(width, 1), 2) else { return nil }
    return counts.firstIndex(of: most)
  }

  /// The key that a header names; also one in two languages, `Raum / Room`, or with a remark, `Minor (0-65535)`.
  func column(named header: String) -> String? {
    if let key = Self.key(spelt: header, among: columns) ?? key(meantBy: header, among: columns) {
      return key
    }
    let parts = header.split { "/|([,;:".contains($0) }.map { String($0).oneLine }
    let meanings = Set(
      parts.compactMap { Self.key(spelt: $0, among: columns) ?? key(meantBy: $0, among: columns) })
    return parts.count > 1 && meanings.count == 1 ? meanings.first : nil
  }
}

extension String {
  /// With one space for line breaks and the like.
  package var oneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }

  /// Whether it has only decimal digits, in ASCII.
  package var isNumber: Bool { !isEmpty && utf8.allSatisfy(\.isDigit) }

  /// Its first number in decimal digits, if that is within bounds.
  package func firstNumber(in bounds: ClosedRange<Int>) -> Int? {
    split { !("0"..."9").contains($0) }.first.flatMap { Int($0, in: bounds) }
  }

  /// Whether a spreadsheet made a number of it, which lost digits: `1.2E+15`.
  package var isInScientificNotation: Bool { wholeMatch(of: /[0-9][.,][0-9]+[Ee]\+?[0-9]+/) != nil }

  /// A number that a spreadsheet wrote with a fraction of zeros, `101.0`, without it, and with the digits of ASCII; another text
  /// as it is.
  package var withoutFraction: String {
    let text = map { $0.wholeNumberValue.flatMap { (0...9).contains($0) ? String($0) : nil } ?? String($0) }
      .joined()
    guard let match = text.wholeMatch(of: /([0-9]+)(?:[.,]0{1,2})?/) else { return self }
    return String(match.1)
  }
}
