import CSV
import FoundationEssentials
package import Manifest
import Model
import Source

/// A table of rooms for `init --from`, or of devices for `capture --from`.
package struct RoomSpreadsheet {
  let table: CSVTable
  /// Whether it is a spreadsheet program's own file, which roboprov does not write.
  let isWorkbook: Bool
  /// Whether it may be in another encoding than Windows-1252.
  package let isAssumed: Bool

  /// - Parameter sheet: The sheet of a workbook; nil for the only one with a table.
  /// - Throws: `CommandFailure` if the file cannot be read, is no table, or has no rooms.
  package init(_ path: String, sheet: String? = nil) throws {
    let bytes = try InputFile.read(path, atMost: CSVReader.maximumBytes).bytes
    let named = sheet == nil ? Self.sheet(of: bytes) : nil
    let source = named ?? SourceText(table: bytes, sheet: sheet)
    isWorkbook = source.encoding == .workbook
    isAssumed = source.encoding == .windows1252
    table = try CSVTable(source, file: path)
    guard !table.rows.isEmpty else {
      throw CommandFailure(
        .manifest, "\(path) is empty",
        advice: "A row of it names the columns, and each further row is a room or a device.")
    }
  }

  /// The only sheet of several whose header has words for rooms: Numbers adds a summary.
  private static func sheet(of bytes: [UInt8]) -> SourceText? {
    let rooms = SourceText.sheets(of: bytes).filter { sheet in
      (try? CSVReader.read(sheet)).map { TableColumns($0, families: BuiltIn.families).isNamed } ?? false
    }
    return rooms.count == 1 ? rooms[0] : nil
  }

  /// The path of a file for the manifest: only the file name if both are in the same directory, otherwise
  /// absolute.
  package static func path(of file: String, from manifest: String) -> String {
    func directory(_ path: String) -> String {
      URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
    }
    return directory(file) == directory(manifest)
      ? URL(fileURLWithPath: file).lastPathComponent : URL(fileURLWithPath: file).standardizedFileURL.path
  }
}

extension TableColumns {
  /// The headers, for a person who has to name one.
  var headers: String { columns.map(\.header).joined(separator: ", ").visible }

  /// Checks what a person said of the columns with `--column`.
  /// - Throws: `CommandFailure` for a key or a column that does not exist.
  package func requireKnown(in file: String) throws {
    guard let pair = unknown.first else { return }
    throw CommandFailure(
      .usage,
      "--column: “\(pair.key.visible)=\(pair.value.visible)” needs a known key and a column of \(file)",
      advice: "The columns: \(headers)\nThe keys: \(keys.joined(separator: ", "))")
  }
}
