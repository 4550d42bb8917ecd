package import Engine
import Host
import Reporting
package import Journal
package import Model

/// The work of `apply` and `plan`: the selected rooms of the manifest, compared with the record.
package struct PreparedRun {
  package let source: ManifestSource
  /// The plan that the result of matching must equal before the first write.
  let plan: ApplyPlan?
  package let known: Known
  let excluded: [RoomID: Exclusion]
  package let archive: BuildingArchive
  /// Whether a rehearsal made up the labels of rooms whose labels are read on site.
  package internal(set) var hasMadeUpLabels = false

  /// Reads the record, selects the rooms, and checks whether a run may begin.
  /// - Parameters:
  ///   - source: The manifest, with the passwords of the rooms in `scope`.
  ///   - isRehearsal: Whether nothing is left behind on this computer but reports.
  /// - Throws: `CommandFailure` if the record cannot be read, or if the manifest contradicts it.
  package init(
    _ source: ManifestSource, _ scope: WorkScope, siteKey: String?, in reports: String,
    plan: ApplyPlan? = nil, isRehearsal: Bool = false
  ) throws {
    let building = source.building
    self.plan = plan
    archive = try BuildingArchive.load(building.id, in: reports, .outcomes)
    known = Known(
      lastKnown: archive.state.lastKnown, permissions: scope.permissions,
      seal: try SiteKey.seal(for: building, siteKey, isRehearsal: isRehearsal))
    self.source = source
    excluded = scope.selection.excluded(from: building, known)
    try Self.refuse(
      conflicts(of: selected, with: known.lastKnown, allowing: scope.permissions),
      RoomNames(building, known.lastKnown))
    warn()
  }

  /// Says which acceptances ended, and what cannot be compared.
  private func warn() {
    var uncompared = 0
    for room in selected where !known.permissions.force.contains(room.id) {
      guard let recorded = known.lastKnown.rooms[room.id] else { continue }
      if let acceptance = recorded.acceptance, !known.isDone(room) {
        Messages.say(
          "\(room.name.visible): the acceptance by \(acceptance.by.visible) has ended: its device is another one now."
        )
      }
      if room.wanted(sealedBy: known.seal).uncompared(with: recorded.lastWrite) == .otherKey {
        uncompared += 1
      }
    }
    if uncompared > 0 {
      Messages.say("roboprov: warning: " + WantedRoom.Uncompared.otherKey.sentence(of: uncompared))
    }
  }

  /// All rooms, without a record.
  package init(alone source: ManifestSource, _ permissions: RecordPermissions) {
    self.source = source
    plan = nil
    known = Known(permissions: permissions)
    excluded = [:]
    archive = BuildingArchive(runs: [])
  }

  /// The rooms to work on.
  package var selected: [Room] { source.building.rooms.filter { excluded[$0.id] == nil } }

  /// The virtual building of a rehearsal without a scenario.
  package var subject: KnownBuilding { KnownBuilding(source.building, known) }

  /// The engine's request for it.
  package func request(
    as run: RunIdentity, manifest: String, isSimulated: Bool, _ adapters: AdapterChoice, scanTime: Double,
    parallel: Int? = nil, failures: FailureAllowance? = nil
  ) -> ApplyRequest {
    var request = ApplyRequest(
      building: source.building, excluded: excluded, known: known, plan: plan, runID: run.id,
      toolVersion: Version.current, host: run.host, manifestPath: manifest, manifestSHA256: source.digest,
      isSimulated: isSimulated, adapters: adapters.adapters(of: source.building),
      parallel: parallel,
      failureLimit: failures?.limit(of: selected.count),
      survey: .seconds(scanTime),
      adapterTimeout: adapters.wait)
    request.kernel = HostEnvironment.kernel
    request.operatingSystem = HostEnvironment.operatingSystem
    request.operatedBy = run.operatedBy
    request.isClockSynchronised = run.isClockSynchronised
    request.clockBehind = archive.clockBehind(run.began)?.seconds
    request.predecessors = archive.predecessors
    return request
  }

  /// The reason why there is nothing to do, if no room is left to work on; with the bonds that an interrupted run may have
  /// left, since no adapter is used.
  package var nothingLeft: String? {
    guard selected.isEmpty else { return nil }
    let states = source.building.rooms.map { known.status(of: $0).kind }
    func count(_ state: RoomStatus.Kind) -> Int { states.count { $0 == state } }
    let (accepted, retired) = (count(.accepted), count(.retired))
    var parts = ["\(count(.done)) of \(states.count - retired) rooms are done"]
    if accepted > 0 { parts.append("\(accepted) accepted as they are") }
    if retired > 0 { parts.append("\(retired) out of service") }
    let others = states.count(where: \.isOpen)
    if others > 0 { parts.append("\(others) not selected") }
    let bonds = BondWords.removing(
      known.lastKnown.bonds.devices(.temporary), verb: "may have", origin: "which an interrupted run made")
    return (["Nothing to do: \(parts.joined(separator: ", "))."] + bonds).joined(separator: "\n")
  }

  private static func refuse(_ conflicts: [RecordConflict], _ names: RoomNames) throws {
    guard !conflicts.isEmpty else { return }
    let list = CommandFailure.list(conflicts) { conflict in
      let words = conflict.explanation(names.name(of:))
      return "\(words.sentence)\n  \(words.advice)"
    }
    throw CommandFailure(
      .manifest, "the manifest contradicts the record; no device was written", advice: list)
  }
}
