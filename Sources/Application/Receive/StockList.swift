package import Bluetooth
import Model
import CSV
import Manifest
import Source

/// The devices of a delivery, from a CSV table with an address or a label in each row.
package struct StockList: Sendable {
  package struct Entry: Hashable, Sendable {
    package let address: BluetoothAddress
    /// Its line in the table, from 1.
    package let line: Int
  }

  /// The path on the command line.
  package let file: String
  /// The devices in the table's order, without repetitions.
  package private(set) var entries: [Entry] = []
  package private(set) var repeated: [Entry] = []

  /// - Throws: `CommandFailure` if the file cannot be read, or is not a list of devices.
  package init(_ file: String) throws {
    try self.init(CSVTable(of: file), file: file)
  }

  /// Reads a table. The addresses are in the only column, or in the column with that header; a table with
  /// one column needs no header.
  /// - Throws: `CommandFailure`.
  init(_ table: CSVTable, file: String) throws {
    self.file = file
    let columns = TableColumns(table, families: BuiltIn.families, isAddress: LabelText.hasAddress)
    let column = try Self.column(of: columns, in: file)
    // A table with one column may begin with an address.
    let first = table.rows.first.map { column < $0.count ? $0[column].text : "" } ?? ""
    let isHeader = columns.columns.count > 1 || !LabelText.hasAddress(first)
    var known: Set<BluetoothAddress> = []
    for row in isHeader ? columns.rows : table.rows {
      guard row.indices.contains(column), !row[column].text.isEmpty else { continue }
      let entry = try Self.entry(row[column], in: file)
      if known.insert(entry.address).inserted { entries.append(entry) } else { repeated.append(entry) }
    }
    guard !entries.isEmpty else {
      throw CommandFailure(
        .manifest, "\(file) lists no device", advice: "Each row needs the address of a device, or its label.")
    }
  }

  private static func column(of columns: TableColumns, in file: String) throws -> Int {
    guard columns.columns.count > 1 else { return columns.columns.first?.index ?? 0 }
    guard let column = columns.column(of: "address") else {
      throw CommandFailure(
        .manifest, "\(file): no header names a column of addresses",
        advice: """
          Name the column “address”, “MAC” or “label” in the first row, or remove the other columns. The columns: \
          \(columns.headers)
          """)
    }
    return column.index
  }

  private static func entry(_ cell: CSVTable.Cell, in file: String) throws -> Entry {
    let line = cell.range.start.line
    do throws(LabelProblem) {
      return Entry(address: try LabelText.address(in: cell.text), line: line)
    } catch {
      throw CommandFailure(
        .manifest, "\(file):\(line): \(LabelWords.sentence(error))",
        advice: "Each row needs the address of one device, or the text of its label.")
    }
  }
}

/// A delivery, compared with the devices that a scan received.
package struct StockCheck: Sendable {
  /// A device of the delivery, and its last advertisement; nil if none was received.
  package struct Device: Sendable {
    let entry: StockList.Entry
    let last: Advertisement?
  }

  let file: String
  let devices: [Device]

  package init(_ list: StockList, received: [BluetoothAddress: Advertisement]) {
    file = list.file
    devices = list.entries.map { Device(entry: $0, last: received[$0.address]) }
  }

  /// The devices that were not received.
  package var missing: [StockList.Entry] { devices.filter { $0.last == nil }.map(\.entry) }
}
