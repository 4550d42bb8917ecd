import Application
import Journal
import Model
import Reporting

extension BuildingReport {
  /// The command to run next; nil when every room is done.
  func nextCommand(for reference: BuildingReference, in reports: String) -> String? {
    guard !isDone else { return nil }
    let open = Dictionary(uniqueKeysWithValues: rooms.filter(\.isOpen).map { ($0.id, $0) })
    if let building = reference.source?.building,
      building.rooms.contains(where: { room in
        open[room.id].map { building.awaitsLabel(of: room, isOnRecord: !$0.devices.isEmpty) } ?? false
      })
    {
      return "roboprov capture \(reference.text.shellQuoted)"
    }
    let recorded = runs.map(\.started).newestWithManifest?.manifestPath
    let manifest =
      reference.source == nil
      ? recorded ?? Self.rehearsed(reference.id, in: reports) : reference.text
    let argument = manifest?.shellQuoted ?? "MANIFEST"
    return "roboprov apply \(argument)\(Preferences.argument(naming: reports))"
  }

  /// The manifest of the newest rehearsal; nil without one.
  private static func rehearsed(_ building: String, in reports: String) -> String? {
    guard let run = try? RunDirectory.rehearsalIDs(of: building, in: reports).last,
      let record = try? RunDirectory.find(in: reports, building: building, run: run).readJournal(),
      case .runStarted(let started)? = record.events.first?.fact
    else { return nil }
    return started.manifestPath
  }
}

extension [RunStarted] {
  /// The newest run that names a manifest. A change for which the building was named by its id names none.
  var newestWithManifest: RunStarted? { last { !$0.manifestPath.isEmpty } }
}

extension Amendment {
  /// The end of a command that changed the record: the command to run next, if something is left.
  func next(after report: BuildingReport) -> String? {
    report.nextCommand(for: building, in: keeping.reports).map { "Next: " + $0 }
  }
}
