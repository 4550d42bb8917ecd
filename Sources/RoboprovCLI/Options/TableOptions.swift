import ArgumentParser
import Manifest

/// How a table (`--from`) is read.
struct TableOptions: ParsableArguments {
  @Option(help: ArgumentHelp("With --from: the sheet of a workbook with several tables.", valueName: "name"))
  var sheet: String?

  @Option(
    help: ArgumentHelp(
      "With --from: the column of a key, such as address=Label; =HEADER ignores a column. Repeat the option for more.",
      valueName: "key=header"))
  var column: [String] = []

  /// Which columns a person named, by key.
  /// - Throws: `CommandFailure` if one is no pair.
  var columns: [ManifestDraft.Pair] { get throws { try .init(column, of: "--column") } }

  /// The options that were given.
  var given: [String] { (column.isEmpty ? [] : ["--column"]) + (sheet == nil ? [] : ["--sheet"]) }
}
