/// Why the file of a spreadsheet program cannot be read as a table. It quotes nothing of the cells.
package enum WorkbookProblem: Error, Hashable, Sendable {
  /// The file of an old Excel (.xls), or one with a password.
  case oldOrProtected
  /// A ZIP archive that is neither .xlsx nor .ods.
  case otherFormat
  /// A part is missing, or is not what the format says.
  case damaged
  /// More unpacked bytes or cells than `Workbook` allows.
  case tooLarge
  /// No sheet has a cell with a text.
  case empty
  /// Several sheets have a table, and none was chosen.
  case severalSheets([String])
  /// There is no sheet of the chosen name.
  case noSheet([String])
}
