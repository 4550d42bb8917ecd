import CSV
import Manifest
import Source

extension CSVTable {
  /// Reads the table in a file.
  /// - Throws: `CommandFailure` if it cannot be read, or is no table.
  init(of file: String) throws {
    let bytes = try InputFile.read(file, atMost: CSVReader.maximumBytes).bytes
    try self.init(SourceText(table: bytes), file: file)
  }

  /// Reads the table in the text of a file.
  init(_ source: SourceText, file: String) throws {
    do throws(CSVError) {
      self = try CSVReader.read(source)
    } catch {
      let finding = Diagnostic(error)
      let start = finding.range.start
      throw CommandFailure(
        .manifest, "\(file):\(start.line):\(start.column): \(finding.message)",
        advice: finding.advice.map { "\($0.prefix(1).uppercased() + $0.dropFirst())." })
    }
  }
}
