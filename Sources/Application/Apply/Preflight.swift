import Bluetooth
import Engine
import FoundationEssentials
import Host
package import Journal
import Manifest
package import Model

/// The checks of `apply` before a run has a folder, in the order of their cost. Options, manifest, record and
/// rooms need only files; then the bus is opened, and the run waits for an adapter. A problem of all rooms is
/// reported once.
package struct Preflight: Sendable {
  /// The work to do, decided by the present record.
  package let prepared: PreparedRun
  /// The lock of the record; nil while the building has no folder, because there is nothing to lock.
  package let lock: RunLock?

  /// Locks the record, reads it and selects the rooms. The lock comes first, so that no event of another run
  /// is missed.
  /// - Parameter isBeginning: Whether the building gets a folder, which contains the lock. If false, only an
  ///   existing folder is locked: a run that cannot begin leaves no files.
  /// - Throws: `CommandFailure` if another run works on the building, or if its record cannot be read or
  ///   contradicts the manifest.
  package init(
    _ source: ManifestSource, _ scope: WorkScope, siteKey: String?, in reports: String, plan: ApplyPlan?,
    for run: RunIdentity, isBeginning: Bool
  ) throws {
    let building = source.building.id
    let hasFolder = FileManager.default.fileExists(atPath: "\(reports)/\(building)")
    lock = isBeginning || hasFolder ? try Claims.building(building, in: reports, for: run) : nil
    prepared = try PreparedRun(source, scope, siteKey: siteKey, in: reports, plan: plan)
  }

  /// Waits until the run has an adapter that it may use.
  /// - Throws: `CommandFailure` if no adapter appears in time, and at once if the named adapters do not
  ///   exist; the exit status after Ctrl-C.
  package static func awaitAdapter(
    _ prepared: PreparedRun, _ adapters: AdapterChoice, _ stack: BluetoothStack
  ) async throws {
    let building = prepared.source.building
    let wanted = adapters.adapters(of: building)
    let kernel = ControllerFiles.ofThisHost(unless: stack.isSimulated)
    if !wanted.isEmpty || !stack.hosts.isEmpty, let present = try? await stack.central.adapters() {
      let hosts = await stack.central.hosts()
      let known = KnownAdapters(building, prepared.archive, kernel: kernel?.names ?? [])
      // The adapters of a host that cannot be reached now are unknown.
      try known.check(wanted.filter { hosts.failure(ofHostOf: $0) == nil }, present)
      for host in stack.hosts where known.isAnother(host.name, with: present) {
        Messages.say(
          "roboprov: warning: \(host.name) has none of the adapters that it had in earlier runs. "
            + "Make sure that \(host.ssh.visible) is the right computer.")
      }
    }
    try await Interruptions().cancelling { _ = try await adapters.ready(stack, of: building) }
  }
}

/// The adapters that may appear: those of the manifest, of earlier runs, and of the kernel. Another name
/// counts as a typing mistake; an address may belong to an adapter that is not plugged in yet.
struct KnownAdapters: Sendable {
  private let references: [AdapterReference]
  private let aliases: [String]
  /// Those of earlier runs.
  private let used: [AdapterSelected]

  init(_ building: Building, _ archive: BuildingArchive, kernel: [String]) {
    used = archive.runs.flatMap { run in
      run.record.events.compactMap { event -> AdapterSelected? in
        if case .adapterSelected(let adapter) = event.fact { adapter } else { nil }
      }
    }
    references =
      building.adapters.map(\.reference) + kernel.map { AdapterReference($0) }
      + used.map { AdapterReference($0.name) }
    aliases = building.adapters.compactMap(\.alias)
  }

  /// Whether a host has adapters, and none of those that it had in earlier runs: its name may lead to another computer.
  func isAnother(_ host: HostName, with present: [Adapter]) -> Bool {
    let before = Set(used.map(\.adapter).filter { $0.host == host })
    let now = present.map(\.id).filter { $0.host == host }
    return !before.isEmpty && !now.isEmpty && before.isDisjoint(with: now)
  }

  /// Throws if none of the named adapters can appear; warns if some cannot.
  /// - Throws: `CommandFailure`.
  fileprivate func check(_ wanted: [AdapterReference], _ present: [Adapter]) throws {
    guard let unknown = unknown(wanted, besides: present), !unknown.isEmpty else { return }
    let failure = failure(unknown, besides: present)
    guard unknown.count < wanted.count else { throw failure }
    Messages.say("roboprov: warning: \(failure.message); this run continues without it")
  }

  /// The named adapters that cannot appear, as far as is known. Nil if there is no adapter: the kernel may
  /// have none yet, and their future names are unknown.
  func unknown(_ wanted: [AdapterReference], besides present: [Adapter]) -> [AdapterReference]? {
    guard !present.isEmpty, !wanted.isEmpty else { return nil }
    return wanted.filter { reference in
      BluetoothAddress(reference.text) == nil && !present.contains(where: reference.names)
        && !references.contains(reference)
    }
  }

  /// The error for them.
  func failure(_ unknown: [AdapterReference], besides present: [Adapter]) -> CommandFailure {
    let shown = present.sorted { $0.name < $1.name }
    let names = unknown.map(\.text.visible).joined(separator: ", ")
    let there = shown.map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
    let known = shown.map(\.name) + aliases
    let nearest = unknown.first.flatMap { Vocabulary.nearest(to: $0.text, of: known) }
    return CommandFailure(
      .unavailable, "there is no Bluetooth adapter \(names); present: \(there)",
      advice: (nearest.map { "Did you mean --adapter \($0.visible)? " } ?? "")
        + "Name an adapter that is present, or leave --adapter out to use all.")
  }
}
