import Bluetooth
import Engine
import FoundationEssentials
import Journal
import Manifest
import Model
import Reporting

/// What `apply` checks before a run has a folder, in the order of what a check costs: options, manifest, record and rooms need
/// files alone; then the bus is opened, and an adapter is waited for. What stops all rooms is reported once.
struct Preflight: Sendable {
  /// What is to be done, by the record as it is.
  let undertaking: Undertaking
  /// What keeps other runs from the record; nil as long as the building has no folder, where there is nothing to lock.
  let lock: RunLock?

  /// Locks the record, reads it and selects the rooms. Locked before it is read: what another run does meanwhile would be missing.
  /// - Parameter isBeginning: Whether the building gets a folder, which the lock is in. Else only one that has a folder is locked:
  ///   a run that cannot begin leaves nothing.
  /// - Throws: `CommandFailure`: another run works on it; its record cannot be read, or contradicts.
  init(
    _ source: ManifestSource, _ scope: WorkScope, _ seal: SealOptions, in reports: String, plan: ApplyPlan?,
    for run: RunIdentity, isBeginning: Bool
  ) throws {
    let building = source.building.id
    let hasFolder = FileManager.default.fileExists(atPath: "\(reports)/\(building)")
    lock = isBeginning || hasFolder ? try Claims.building(building, in: reports, for: run) : nil
    undertaking = try Undertaking(source, scope, seal, in: reports, plan: plan)
  }

  /// Returns when an adapter can be used that the run may use.
  /// - Parameter kernel: The adapters that the kernel has; nil where they are another host's, or virtual.
  /// - Throws: `CommandFailure` when the wait was in vain, at once when the adapters that were asked for do not exist; the exit
  ///   status for a person's Ctrl-C.
  static func awaitAdapter(
    _ undertaking: Undertaking, _ radio: RadioOptions, _ setup: Radio.Setup, kernel: ControllerFiles?
  ) async throws {
    let building = undertaking.source.building
    let wanted = radio.adapters(of: building)
    if !wanted.isEmpty, let present = try? await setup.central.adapters() {
      try KnownAdapters(building, undertaking.archive, kernel: kernel?.names ?? []).check(wanted, present)
    }
    let selection = AdapterSelection(
      central: setup.central, clock: setup.clock, wanted: wanted, patience: .seconds(radio.adapterWait))
    try await Interruptions().cancelling {
      do throws(CentralError) {
        _ = try await selection.adapter { Console.say(RadioMessages.waiting($0)) }
      } catch {
        throw error.code == .cancelled
          ? ExitStatus.interrupted.exit : RadioMessages.failure(error, adapter: radio.adapter.first)
      }
    }
  }
}

/// The adapters that a run may come to have: the manifest's, those of earlier runs, and the kernel's. One that was named and is
/// none of these is taken for a typing mistake; an address may be that of an adapter that is not plugged in yet.
struct KnownAdapters: Sendable {
  private let references: [AdapterReference]
  private let aliases: [String]

  init(_ building: Building, _ archive: BuildingArchive, kernel: [String]) {
    let used = archive.runs.flatMap { run in
      run.record.events.compactMap { event -> AdapterSelected? in
        if case .adapterSelected(let adapter) = event.fact { adapter } else { nil }
      }
    }
    references =
      building.adapters.map(\.reference) + kernel.map { AdapterReference($0) }
      + used.map { AdapterReference($0.name) }
    aliases = building.adapters.compactMap(\.alias)
  }

  /// Refuses adapters of which none can come; warns where some cannot.
  /// - Throws: `CommandFailure`.
  fileprivate func check(_ wanted: [AdapterReference], _ present: [Adapter]) throws {
    guard let unknown = unknown(wanted, besides: present), !unknown.isEmpty else { return }
    let failure = failure(unknown, besides: present)
    guard unknown.count < wanted.count else { throw failure }
    Console.say("roboprov: warning: \(failure.message); this run goes on without")
  }

  /// Which of the adapters that were asked for cannot come, as far as is known; nil where there is no adapter at all: then
  /// the kernel may have none yet, and what they will be called is not known.
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
      cure: (nearest.map { "Did you mean --adapter \($0.visible)? " } ?? "")
        + "Name an adapter that is present, or leave --adapter out to use all.")
  }
}
