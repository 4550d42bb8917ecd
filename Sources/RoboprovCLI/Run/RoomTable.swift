import CSV
import Foundation
import Source

/// A table of rooms that a person has.
struct RoomTable {
  private let table: CSVTable

  /// Reads it.
  /// - Throws: `CommandFailure` when it cannot be read, or is none.
  init(_ path: String) throws {
    let bytes = try InputFile.read(path, atMost: CSVReader.maximumBytes).bytes
    do throws(CSVError) {
      table = try CSVReader.read(SourceText(bytes))
    } catch {
      throw CommandFailure(
        .manifest,
        "\(path):\(error.range.start.line):\(error.range.start.column): this is no table of comma-separated values",
        cure: "Export it as “CSV UTF-8”.")
    }
    guard table.rows.count > 1 else {
      throw CommandFailure(
        .manifest, "\(path) has no rooms",
        cure: "Its first row names the columns, and each further row is a room.")
    }
  }

  /// The names of its columns.
  var headers: [String] { table.rows[0].map(\.text) }

  /// What a column has, row by row; an empty text where a row is too short.
  func values(of header: String) -> [String] {
    guard let index = headers.firstIndex(of: header) else { return [] }
    return table.rows.dropFirst().map { $0.indices.contains(index) ? $0[index].text : "" }
  }

  /// The path of a file as a manifest names it: relative to the manifest where both are in the same directory.
  static func path(of file: String, from manifest: String) -> String {
    func directory(_ path: String) -> String {
      URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
    }
    return directory(file) == directory(manifest)
      ? (file as NSString).lastPathComponent : URL(fileURLWithPath: file).standardizedFileURL.path
  }
}
