import Bluetooth
import CSV
package import Manifest
package import Model
import Source

/// A table as rooms for `init --from`: how it is read, what must be asked, and the rooms. It asks and writes nothing; with each
/// answer it is made again.
package struct TableImport {
  /// What a person said.
  package struct Answers: Sendable {
    /// Keys with the header of their column; an empty key ignores the column.
    package var columns: [ManifestDraft.Pair] = []
    /// Where numbers come from that no column has.
    package var numbers: Numbers?
    /// The number of rooms, which decides what is meant where texts can be read in two ways.
    package var count: Int?
    /// Whether `1,101` is 1101.
    package var hasThousands = false

    package init() {}
  }

  package enum Numbers: Hashable, Sendable {
    /// Counted up from this one.
    case from(Int)
    /// The first number in the name of the room.
    case names
  }

  package enum Question: Hashable, Sendable {
    case column(TableColumns.Question)
    /// No column has the numbers of devices; the proposal is the likely answer.
    case numbers(key: String, proposal: Numbers)
    /// Names that look like ranges, and rows with a single text, which may be no rooms.
    case count(proposed: [String], literal: Int, reasons: [String])
    /// A number that is another one in other languages: the line, and the text.
    case thousands(line: Int, text: String)
  }

  /// A row of the table that may be a room.
  private struct Row {
    let line: Int
    var values: [String: String]
  }

  package let columns: TableColumns
  package private(set) var questions: [Question] = []
  /// Why the table must be corrected, a sentence for each reason.
  package private(set) var problems: [String] = []
  /// Rows that are no rooms.
  package private(set) var notes: [String] = []
  /// A room for each, or a range of rooms.
  package private(set) var entries: [[ManifestDraft.Pair]] = []
  /// The names of all rooms.
  package var names: [String] { entries.flatMap(Self.names) }
  /// Whether the manifest can name the table, which gives these rooms row by row.
  package private(set) var isPlain: Bool
  /// What the table has of labels, by the name of the device. No manifest has it.
  private var labels: [String: [SettingName: Secret]] = [:]
  private let counted: SettingDescription?
  /// The secrets that labels of the family have.
  private let labelled: Set<String>

  package init(_ table: RoomSpreadsheet, of family: DeviceFamily, _ answers: Answers) {
    counted = family.countedSetting
    labelled = Set(family.access.filter { $0.isSecret && $0.isOnLabel }.map(\.name.rawValue))
    let number = counted.flatMap { $0.isRequired ? $0.name.rawValue : nil }
    let needed = ["room"] + (answers.numbers == nil ? [number].compactMap(\.self) : [])
    columns = TableColumns(
      table.table, families: BuiltIn.families, needed: needed, given: answers.columns,
      isAddress: LabelText.hasAddress)
    isPlain = columns.haveHeaders && !table.isWorkbook
    for question in columns.questions {
      if question.key == number, question.candidates.isEmpty { continue }
      questions.append(.column(question))
    }
    var rows = rooms(of: columns.rows.map { ($0[0].range.start.line, $0.map(\.text)) })
    normaliseNumbers(&rows, answers)
    if isPlain { isPlain = notes.isEmpty }
    guard columns.column(of: "room") != nil else { return }
    findDates(rows)
    expand(rows, answers)
    if let number, columns.column(of: number) == nil { giveNumbers(number, answers) }
  }

  // MARK: Rows

  /// The rows with a text in a column that is read, without repeated headers and repeated rows.
  private mutating func rooms(of rows: [(line: Int, texts: [String])]) -> [Row] {
    let used = columns.columns.filter { $0.key != nil }
    let headers = used.map(\.header)
    var seen: [[String]: Int] = [:]
    var found: [Row] = []
    for (line, texts) in rows {
      let cells = used.map { $0.index < texts.count ? texts[$0.index].oneLine : "" }
      guard cells.contains(where: { !$0.isEmpty }), !used.isEmpty else {
        if !used.isEmpty, let place = texts.firstIndex(where: { !$0.isEmpty }) {
          // A column that is not read may have secrets.
          let isSecret = columns.columns.contains { $0.index == place && $0.secret != nil }
          let (text, isAlone) = (texts[place], !isSecret && texts.count { !$0.isEmpty } == 1)
          notes.append(
            "line \(line) has nothing in a column that is read"
              + (isAlone ? ": “\(text.oneLine.visible)”" : ""))
        }
        continue
      }
      if cells == headers {
        notes.append("line \(line) is the header again")
        continue
      }
      let hasAddress = zip(used, cells).contains { $0.key == "address" && !$1.isEmpty }
      if hasAddress, let first = seen[cells] {
        notes.append("line \(line) is the same as line \(first)")
        continue
      }
      seen[cells] = line
      var values: [String: String] = [:]
      for (column, cell) in zip(used, cells) where !cell.isEmpty {
        values[column.key ?? ""] = cell
        if texts[column.index] != cell { isPlain = false }
      }
      if let text = values["address"], let address = try? LabelText.address(in: text) {
        if BluetoothAddress(text) == nil { isPlain = false }
        values["address"] = address.description
      }
      found.append(Row(line: line, values: values))
      guard let device = values["device"] else { continue }
      for column in columns.columns {
        guard let secret = column.secret, labelled.contains(secret), column.index < texts.count,
          !texts[column.index].isEmpty
        else { continue }
        labels[device, default: [:]][SettingName(rawValue: secret)] = Secret(texts[column.index])
      }
    }
    return found
  }

  // MARK: Numbers

  /// Removes the fractions that spreadsheets write, in columns of numbers.
  private mutating func normaliseNumbers(_ rows: inout [Row], _ answers: Answers) {
    let thousands = /[0-9]{1,3}(?:[.,][0-9]{3})+/
    for column in columns.columns {
      guard let key = column.key, key == counted?.name.rawValue || key == "room" || key == "floor" else {
        continue
      }
      let isNumber = key == counted?.name.rawValue
      if isNumber, let row = rows.first(where: { $0.values[key]?.wholeMatch(of: thousands) != nil }) {
        if answers.hasThousands {
          for index in rows.indices where rows[index].values[key]?.wholeMatch(of: thousands) != nil {
            rows[index].values[key]?.removeAll { $0 == "," || $0 == "." }
          }
          isPlain = false
        } else {
          questions.append(.thousands(line: row.line, text: row.values[key] ?? ""))
          continue
        }
      }
      func plain(_ text: String) -> String {
        let digits = text.withoutFraction
        // The zeros of a format are part of a name only.
        return isNumber ? Int(digits, in: 0...999_999_999).map { String($0) } ?? digits : digits
      }
      let texts = rows.compactMap { $0.values[key] }
      guard texts.contains(where: { plain($0) != $0 }), texts.allSatisfy({ plain($0).isNumber }) else {
        continue
      }
      isPlain = false
      for index in rows.indices { rows[index].values[key] = rows[index].values[key].map(plain) }
    }
  }

  /// Numbers for rooms whose table has none.
  private mutating func giveNumbers(_ key: String, _ answers: Answers) {
    guard case .integer(let bounds)? = counted?.kind else { return }
    isPlain = false
    guard let source = answers.numbers else {
      guard
        !questions.contains(where: { if case .column(let column) = $0 { column.key == key } else { false } })
      else { return }
      let numbers = names.map { $0.firstNumber(in: bounds) }
      let areDistinct = !numbers.contains(nil) && Set(numbers).count == numbers.count
      questions.append(.numbers(key: key, proposal: areDistinct ? .names : .from(1)))
      return
    }
    var position = 0
    for index in entries.indices {
      let names = Self.names(of: entries[index])
      let number: Int? =
        switch source {
        case .names: names.first?.firstNumber(in: bounds)
        case .from(let first): first + position
        }
      if let number { entries[index].append(.init(key, String(number))) }
      position += names.count
    }
  }

  // MARK: Names

  private mutating func findDates(_ rows: [Row]) {
    let dates = rows.filter { $0.values["room"].map { SpreadsheetDate.isMeant(by: $0) } ?? false }
    for row in dates.prefix(3) {
      problems.append(
        "line \(row.line): “\(row.values["room"]?.visible ?? "")” looks like a date that the spreadsheet made of a name such as 1-2"
      )
    }
    if dates.count > 3 { problems.append("\(dates.count - 3) more like it") }
  }

  /// The names of the rooms of an entry; one without a name has an empty one.
  private static func names(of entry: [ManifestDraft.Pair]) -> [String] {
    entry.first?.key == "room" ? ListedRooms(literal: entry[0].value).names : [""]
  }

  /// The rooms of the rows: each name as it is, or ranges as all their rooms, without rows that have a single text.
  private mutating func expand(_ rows: [Row], _ answers: Answers) {
    let names = rows.map { $0.values["room"] ?? "" }
    let readings = names.map { ListedRooms($0) }
    var reasons: [String] = []
    let ranges = readings.indices.filter {
      readings[$0].names.count > 1 && readings[$0].entries != [names[$0]] && readings[$0].hasRange
    }
    // As ranges, names of house and room, such as 1-2 and 1-3, would have rooms twice.
    var rooms: Set<String> = []
    let areRanges = ranges.allSatisfy { readings[$0].names.allSatisfy { rooms.insert($0).inserted } }
    if areRanges, let first = ranges.first {
      reasons.append(
        "“\(names[first].visible)” on line \(rows[first].line) looks like a range\(ranges.count > 1 ? ", and \(ranges.count - 1) more" : "")"
      )
    }
    let keys = columns.columns.compactMap(\.key)
    let singles = rows.indices.filter {
      rows[$0].values.count == 1 && rows[$0].values["address"] == nil && keys.count > 2
    }
    // In a table of names alone, this is every row.
    let areSingle = !singles.isEmpty && singles.count * 2 < rows.count
    if areSingle {
      let texts = singles.prefix(3).map {
        "“\(rows[$0].values.first?.value.visible ?? "")” on line \(rows[$0].line)"
      }
      reasons.append(
        "\(texts.joined(separator: ", "))\(singles.count > 3 ? " and \(singles.count - 3) more" : "") \(singles.count == 1 ? "has" : "have") only one text, and no room"
      )
    }
    func entries(_ index: Int, _ isExpanded: Bool) -> [[ManifestDraft.Pair]] {
      let row = rows[index]
      let written =
        isExpanded && areRanges && ranges.contains(index) ? readings[index].entries : [names[index]]
      var others: [ManifestDraft.Pair] = []
      for key in keys where key != "room" {
        guard let value = row.values[key] else { continue }
        let list = ListedRooms(value)
        let isRange = key == counted?.name.rawValue && list.hasRange && list.entries.count == 1
        others.append(.init(key, isRange ? list.entries[0] : value))
      }
      return written.map { name in name.isEmpty ? others : [ManifestDraft.Pair("room", name)] + others }
    }
    let literal = rows.indices.flatMap { entries($0, false) }
    let proposed = rows.indices.filter { !areSingle || !singles.contains($0) }.flatMap { entries($0, true) }
    let (proposedNames, literalCount) = (proposed.flatMap(Self.names), literal.flatMap(Self.names).count)
    if !reasons.isEmpty { isPlain = false }
    switch answers.count {
    case nil:
      if !reasons.isEmpty {
        questions.append(.count(proposed: proposedNames, literal: literalCount, reasons: reasons))
      }
      self.entries = proposed
    case proposedNames.count?: self.entries = proposed
    case literalCount?: self.entries = literal
    case let count?:
      problems.append(
        "it has \(proposedNames.count) rooms\(literalCount == proposedNames.count ? "" : ", or \(literalCount) by its rows"), not \(count)"
      )
    }
  }
}

extension TableImport {
  /// The number of devices whose secrets the table has.
  package var labelCount: Int { labels.count }

  /// Writes the secrets of the table into a file of labels.
  /// - Throws: `CommandFailure` if it was not changed.
  package func writeLabels(to path: String, for manifest: String) throws {
    guard let device = labels.keys.min(), let secret = labels[device]?.keys.min() else { return }
    let source = SecretSource.labels(path, device: device, setting: secret)
    try LabelFile.open(path, named: SecretReference(source, file: manifest, line: 1, column: 1)).write(
      labels, isWhole: false)
  }
}

/// Dates as spreadsheets show them.
enum SpreadsheetDate {
  /// The first letters of months in English, German, French, Spanish, Italian and Dutch.
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "mär", "mrz", "mai",
    "okt", "dez",
    "fév", "avr", "juin", "juil", "aoû", "déc", "ene", "abr", "ago", "dic", "gen", "mag", "giu", "lug", "set",
    "ott",
    "maa", "mrt", "mei",
  ]

  static func isMeant(by text: String) -> Bool {
    if text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}月[0-9]{1,2}日/) != nil { return true }
    let word =
      text.wholeMatch(of: /[0-9]{1,2}[-. ]{1,2}(\p{L}{3,4})\.?(?:-[0-9]{2,4})?/)?.1
      ?? text.wholeMatch(of: /(\p{L}{3,4})\.?-[0-9]{2}/)?.1
    guard let word = word?.lowercased() else { return false }
    return months.contains { word.hasPrefix($0) }
  }
}
