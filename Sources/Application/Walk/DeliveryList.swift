import Bluetooth
import CSV
import Host
package import Manifest
package import Model
import Session
import Source

/// A list of delivered devices with the secrets on their labels, for the file of labels: a row for each device, with its name
/// (or the text of its QR code) or its address, and a column for each secret. Rooms are no part of it.
package struct DeliveryList {
  /// How the columns were read, without secrets.
  package private(set) var words: [String] = []
  private var labels: [String: [SettingName: Secret]] = [:]
  private let source: (file: String, reference: SecretReference)

  package var count: Int { labels.count }
  package var file: String { source.file }

  /// - Parameters:
  ///   - rooms: The rooms for which the devices are; all take secrets from one file of labels.
  ///   - given: Keys with the header of their column, by a person.
  /// - Throws: `CommandFailure` if the rooms take no secrets from a file of labels, or the list must be corrected.
  package init(
    _ table: RoomSpreadsheet, named path: String, for rooms: [Room], given: [ManifestDraft.Pair]
  ) throws {
    let takers = rooms.filter { !$0.labelSources.isEmpty }
    let sources = takers.flatMap { room in room.labelSources.sorted { $0.key < $1.key }.map(\.value) }
    guard let taker = takers.first, let source = sources.first else {
      throw CommandFailure(
        .manifest, "these rooms take no secret from a file of labels, so the list has no place to go",
        advice: "Write into the manifest, under `defaults`, for example: pop: { labels: ./labels.json }")
    }
    guard sources.allSatisfy({ $0.file == source.file }), takers.allSatisfy({ $0.family == taker.family })
    else {
      throw CommandFailure(
        .usage, "these rooms have several families or files of labels, and a list is for one",
        advice: "Select the rooms for which the devices are with --only.")
    }
    self.source = source
    let columns = TableColumns(
      table.table, families: BuiltIn.families, given: given, isAddress: LabelText.hasAddress)
    try columns.requireKnown(in: path)
    try read(columns, Devices(columns, of: taker.family, in: path), taker, path)
  }

  /// Where the rows have the name of the device.
  private struct Devices {
    let column: TableColumns.Column
    /// Whether the column has addresses, from which the names are made.
    let isAddress: Bool
    let driver: FamilyDriver?

    init(_ columns: TableColumns, of family: DeviceFamily, in path: String) throws {
      let driver = BuiltIn.drivers[family.id]
      let named = columns.columns.first { column in
        let texts = columns.values(of: column.index).filter { !$0.isEmpty }
        return !texts.isEmpty && texts.allSatisfy { (try? driver?.readLabel?($0.trimmed)) != nil }
      }
      self.driver = driver
      if let column = columns.column(of: "device") ?? named {
        (self.column, isAddress) = (column, false)
      } else if let column = columns.column(of: "address") {
        (self.column, isAddress) = (column, true)
      } else {
        throw CommandFailure(
          .manifest, "no column of \(path) is certainly the name or the address of the device",
          advice:
            "Name it: --column device=HEADER, or --column address=HEADER. The columns: \(columns.headers)")
      }
    }

    /// The label of a row.
    func label(_ text: String) throws -> ProductLabel? {
      if !isAddress { return try driver?.readLabel?(text) ?? ProductLabel(name: text, secrets: [:]) }
      guard let address = try? LabelText.address(in: text) else { return nil }
      return ProductLabel(name: driver?.nameOfAddress?(address) ?? address.description, secrets: [:])
    }
  }

  private mutating func read(
    _ columns: TableColumns, _ devices: Devices, _ room: Room, _ path: String
  ) throws {
    let wanted = room.labelSources.keys.sorted()
    words = columns.columns.map { column in
      let meaning =
        if column.index == devices.column.index {
          devices.isAddress ? "the address, from which the name is made" : "the device"
        } else if let secret = column.secret, wanted.contains(where: { $0.rawValue == secret }) {
          "\(secret), not shown"
        } else {
          "ignored"
        }
      return "Column “\(column.header.visible)”: \(meaning)"
    }
    let isGiven = columns.columns.contains { column in wanted.contains { $0.rawValue == column.secret } }
    var lines: [String: Int] = [:]
    var problems: [String] = []
    for row in columns.rows {
      func text(_ index: Int) -> String { index < row.count ? row[index].text.trimmed : "" }
      let (line, cell) = (row.first?.range.start.line ?? 0, text(devices.column.index))
      if cell.isEmpty { continue }
      guard let label = try? devices.label(cell), DeviceReference.violation(ofName: label.name) == nil else {
        problems.append("line \(line) has no usable \(devices.isAddress ? "address" : "name")")
        continue
      }
      var secrets = label.secrets.filter { wanted.contains($0.key) }
      for column in columns.columns {
        guard let name = column.secret.map(SettingName.init(rawValue:)), wanted.contains(name),
          !text(column.index).isEmpty
        else { continue }
        secrets[name] = Secret(text(column.index))
      }
      for name in wanted where isGiven || !secrets.isEmpty {
        let description = room.family[name]
        let isMissing = secrets[name] == nil && description?.isRequired == true
        let isWrong = secrets[name].map { description?.violation(of: .secret($0)) != nil } ?? false
        let isNumber = secrets[name]?.reveal().isInScientificNotation ?? false
        if isMissing || isWrong || isNumber {
          problems.append("line \(line) has no \(isMissing ? "" : "usable ")`\(name)`")
        }
      }
      if let first = lines[label.name], labels[label.name] != secrets {
        problems.append("lines \(first) and \(line) give \(label.name.visible) different secrets")
      }
      lines[label.name] = line
      labels[label.name] = secrets
    }
    if labels.isEmpty, problems.isEmpty { problems.append("it lists no device") }
    if labels.values.allSatisfy(\.isEmpty), problems.isEmpty {
      problems.append("it has no column `\(wanted.map(\.rawValue).joined(separator: "` or `"))`")
    }
    guard problems.isEmpty else {
      let more = problems.count > 5 ? "; and \(problems.count - 5) more" : ""
      throw CommandFailure(
        .manifest, "\(path): \(problems.prefix(5).joined(separator: "; "))\(more); nothing was written",
        advice:
          "Correct the list (a column of secrets has the format “text”), or name a column: --column pop=HEADER."
      )
    }
  }

  /// Writes the secrets into the file of labels. What the list does not have stays.
  /// - Throws: `CommandFailure` if it was not changed.
  package func write() throws {
    try LabelFile.open(source.file, named: source.reference).write(labels, isWhole: false)
  }
}
