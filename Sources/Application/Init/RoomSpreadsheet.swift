import CSV
import FoundationEssentials

/// A CSV table of rooms, for `init --from`.
package struct RoomSpreadsheet {
  private let table: CSVTable

  /// - Throws: `CommandFailure` if the file cannot be read, is not CSV, or has no rooms.
  package init(_ path: String) throws {
    table = try CSVTable(of: path)
    guard table.rows.count > 1 else {
      throw CommandFailure(
        .manifest, "\(path) has no rooms",
        advice: "Its first row names the columns, and each further row is a room.")
    }
  }

  package var headers: [String] { table.rows[0].map(\.text) }

  /// The cells of a column, row by row; an empty text if a row is too short.
  package func values(of header: String) -> [String] {
    guard let index = headers.firstIndex(of: header) else { return [] }
    return table.rows.dropFirst().map { $0.indices.contains(index) ? $0[index].text : "" }
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
