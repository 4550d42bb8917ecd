/// Where a command keeps its record, and the person that it records.
package struct RecordKeeping: Sendable {
  /// The reports directory.
  package let reports: String
  /// The second directory, kept with the same care.
  let mirror: String?
  /// Nil for the login name.
  package let operatedBy: String?
  /// The option that names the reports directory in a command; empty if it is the default.
  package let reportsOption: String

  package init(reports: String, mirror: String?, operatedBy: String?, reportsOption: String) {
    (self.reports, self.mirror, self.operatedBy, self.reportsOption) = (
      reports, mirror, operatedBy, reportsOption
    )
  }
}
