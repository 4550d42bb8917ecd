package import Model

extension PreparedRun {
  /// The same for a rehearsal. Without a scenario and a plan, rooms whose labels are read on site get made-up ones.
  /// - Throws: `CommandFailure`.
  package init(
    rehearsing source: ManifestSource, _ scope: WorkScope, siteKey: String?, in reports: String,
    plan: ApplyPlan? = nil, hasScenario: Bool
  ) throws {
    try self.init(source, scope, siteKey: siteKey, in: reports, plan: plan, isRehearsal: true)
    var supplied = source
    guard !hasScenario, plan == nil, supplied.supplyLabels(known) else { return }
    try self.init(supplied, scope, siteKey: siteKey, in: reports, isRehearsal: true)
    hasMadeUpLabels = true
  }
}
