import Application
import Journal
import Bluetooth
import Engine
import FoundationEssentials
import Model
import Reporting
import Session
import Waiting

/// Carries out the decisions of `Walk`: shows the received devices, writes addresses into the manifest,
/// provisions, and prints the results.
actor WalkSession {
  private let command: WalkCommand
  private let stack: BluetoothStack
  private let isLive = Screen.standardError.canRedraw && KeyReader.isPossible
  private let stopped = OneShot<Void>()
  private var source: ManifestSource
  /// The rooms at the beginning of the walk.
  private let asWritten: [Room]
  private var walk: Walk
  private var view = WalkView()
  private var seen: Set<BluetoothAddress> = []
  /// The edits of the manifest for each room, for undo.
  private var written: [RoomID: [ManifestPatch]] = [:]
  /// Rooms whose device was undone. They can get another device than the one on record.
  private var released: Set<RoomID> = []
  private var panel = LiveLines()
  /// The signal of the device that is located.
  private var track:
    (address: BluetoothAddress, signal: SignalTrack, receivedAt: MonotonicInstant?, tone: MonotonicInstant)?
  private var isInterrupted = false

  init(_ command: WalkCommand, _ prepared: PreparedRun, _ stack: BluetoothStack) {
    (self.command, self.stack) = (command, stack)
    source = prepared.source
    let known = prepared.known
    let selected = Set(prepared.selected.map(\.id))
    let rooms = prepared.source.building.rooms
    asWritten = rooms
    let others = rooms.filter { !selected.contains($0.id) }.flatMap { room in
      [known.device(of: room).map { .address($0.address) }, room.device].compactMap(\.self).map {
        ($0, room.name)
      }
    }
    walk = Walk(
      prepared.selected.map { room in
        Walk.Stop(
          room: room.id, name: room.name, floor: room.floor, family: room.family.id,
          canIdentify: BuiltIn.drivers[room.family.id]?.identify != nil, needsLabel: room.awaitsLabel,
          address: room.address ?? known.device(of: room)?.address, deviceName: room.deviceName)
      }, owners: Dictionary(others) { first, _ in first }, prepared.source.building.drivers)
    view.building = prepared.source.building.name
    view.isSimulated = stack.isSimulated
    view.rooms = rooms.count
    view.done = rooms.count { known.isDone($0) }
  }

  /// Runs until every room was handled, or the installer quits.
  func run() async throws -> ExitStatus {
    let input = WalkInput()
    let interruptions = Interruptions { [stopped] in
      stopped.fulfill()
      input.interrupt()
    }
    defer { withExtendedLifetime(interruptions) {} }
    if !isLive {
      Console.say("No terminal: each label or key is a line. Enter is `.`; q quits; ? shows help")
    }
    input.begin()
    defer { input.end() }
    while let stop = walk.current, !isInterrupted {
      let action = try await stack.scanning(command.radio.choice, for: source.building, isQuiet: true) {
        air, adapters in
        // The adapters of other computers are not with the installer.
        let near = adapters.map(\.id).filter { $0.host == nil }
        return await self.decision(at: stop, input, air, near.isEmpty ? adapters.map(\.id) : near)
      }
      guard try await carryOut(action) else { break }
    }
    erase()
    finish()
    if isInterrupted { return .interrupted }
    return walk.left.isEmpty ? .done : .incomplete
  }

  // MARK: The next action

  /// Shows the received devices, and returns when an entry needs the scan to end.
  private func decision(
    at stop: Walk.Stop, _ input: WalkInput, _ air: AirLog, _ adapters: [AdapterID]
  ) async -> Walk.Action {
    let began = stack.clock.now
    view.stop = stop
    view.proposal = nil
    track = nil
    if !isLive { Console.say("Room: \(stop.name)" + (stop.device.map { " (\($0))" } ?? "")) }
    for await event in input.events {
      await look(at: stop, air, adapters, since: began)
      switch event {
      case .tick: break
      case .typed(let text): view.typed = text
      case .interrupted:
        isInterrupted = true
        return .quit
      case .end: return .quit
      case .entry(let entry):
        if track != nil {
          track = nil
          break
        }
        let action = walk.take(entry, proposal: view.proposal?.address)
        switch action {
        case .nothing: break
        case .show(let message): show(message.words)
        case .locate(let device):
          let now = stack.clock.now
          if isLive, let address = await address(of: device, air) {
            track = (address, SignalTrack(from: now), nil, now)
          } else {
            show(view.rssi.map(WalkView.signal) ?? "not received now")
          }
        case .assign(let label, _):
          if let problem = await problem(with: label.device, air) {
            show(problem)
          } else {
            return await keep(action, air)
          }
        case .identify(let device):
          if let address = await address(of: device, air) {
            return await keep(.identify(.address(address)), air)
          }
          show("not received now")
        default: return await keep(action, air)
        }
        // A skipped room ends the scan.
        if walk.current?.room != stop.room { return await keep(.nothing, air) }
      }
      draw()
    }
    return .quit
  }

  private func address(of device: DeviceReference, _ air: AirLog) async -> BluetoothAddress? {
    if let address = device.address { return address }
    return await air.air[device]?.address
  }

  /// Records the devices received so far, so that later ones count as new.
  private func keep(_ action: Walk.Action, _ air: AirLog) async -> Walk.Action {
    for device in await air.air.free { seen.insert(device.address) }
    return action
  }

  private func look(at stop: Walk.Stop, _ air: AirLog, _ adapters: [AdapterID], since began: MonotonicInstant)
    async
  {
    let now = stack.clock.now
    let ledger = await air.air
    let device = stop.device ?? view.proposal.map { .address($0.address) }
    let sighting = device.flatMap { ledger[$0] }
    let isFresh = sighting?.lastReceived.map { $0.duration(to: now) <= WalkProposal.freshness } ?? false
    view.rssi = isFresh ? sighting?.strongest.rssi : nil
    locate(in: ledger, now: now)
    guard stop.device == nil, !stop.needsLabel,
      let room = source.building.rooms.first(where: { $0.id == stop.room })
    else {
      return
    }
    view.proposal = WalkProposal(
      ledger.free(for: room.family.id), except: walk.taken, seen: seen, on: adapters, since: began, now: now)
  }

  /// Updates the signal of the device to locate, with the bell as in `roboprov find`.
  private func locate(in ledger: AirLedger, now: MonotonicInstant) {
    guard var track else {
      view.signal = nil
      return
    }
    if let sighting = ledger[track.address], let received = sighting.lastReceived,
      received != track.receivedAt
    {
      track.signal.receive(rssi: sighting.rssi, on: sighting.adapter, at: received)
      track.receivedAt = received
    }
    if let interval = track.signal.bellInterval(at: now), now >= track.tone {
      track.tone = now.advanced(by: interval)
      if !command.silent { Console.ring() }
    }
    self.track = track
    let lines = SignalView.lines(
      track.signal, name: view.stop?.name, address: track.address, at: now, style: Screen.standardError.style)
    view.signal = Array(lines.prefix(2))
  }

  /// Why a label's device must not be used: its identity shows that it is at work for another room.
  private func problem(with device: DeviceReference, _ air: AirLog) async -> String? {
    guard let identity = await air.air[device]?.identityAtWork else { return nil }
    let owner = source.building.rooms.first { $0.identity == identity }
    guard let owner, owner.id != walk.current?.room else { return nil }
    return "Wrong sensor: \(device) is at work with \(identity.distinction), which belongs to \(owner.name)"
  }

  /// - Returns: Whether the walk continues.
  private func carryOut(_ action: Walk.Action) async throws -> Bool {
    switch action {
    case .quit: return false
    case .nothing, .show, .locate: break
    case .assign(let label, let stop):
      if try assign(label, to: stop) { try await provision(stop.room) }
    case .provision(let stop): try await provision(stop.room)
    case .undo(let stop): undo(stop)
    case .identify(let device): if let address = device.address { try await identify(address) }
    }
    return true
  }

  private func identify(_ address: BluetoothAddress) async throws {
    erase()
    let radio = command.radio
    let link = DeviceLink(
      stack: stack, adapters: radio.choice, scanTime: radio.scanTime, building: source.building)
    do {
      try await link.identify(address)
      show("Asked \(address) to blink")
    } catch let failure as CommandFailure {
      show("\(failure.message)\n" + (failure.advice ?? ""))
    } catch ExitStatus.interrupted {
      isInterrupted = true
    }
  }

  // MARK: The manifest

  private func assign(_ label: DeviceLabel, to stop: Walk.Stop) throws -> Bool {
    if !stack.isSimulated {
      do {
        let patches = try DeviceLabel.write([(stop.room, label.device, label)], to: command.manifest)
        written[stop.room, default: []] += patches
        // The digest for the record must be that of the changed manifest.
        let resolved = source.building
        source = try ManifestSource.load(command.manifest)
        source.building = resolved
      } catch let failure as CommandFailure {
        show("Not saved: \(failure.message)" + (failure.advice.map { "\n" + $0 } ?? ""))
        return false
      }
    }
    source.setLabel(label, of: stop.room)
    walk.assigned(label.device, to: stop.room)
    return true
  }

  private func undo(_ stop: Walk.Stop) {
    do {
      for patch in (written[stop.room] ?? []).reversed() { try patch.takeBack() }
    } catch {
      let words = (error as? CommandFailure).map { $0.message } ?? "\(error)"
      return show("Not undone: \(words)")
    }
    written[stop.room] = nil
    released.insert(stop.room)
    if let room = asWritten.first(where: { $0.id == stop.room }) { source.removeLabel(from: room) }
    walk.undone(stop.room)
    show("\(stop.name): the \(stop.address == nil ? "device" : "address") was removed")
  }

  // MARK: The run

  /// Provisions one room as `apply` does, as a run of its own.
  private func provision(_ room: RoomID) async throws {
    erase()
    let keeping = command.record.keeping
    let run = RunIdentity(operatedBy: keeping.operatedBy)
    let scope = WorkScope(
      RoomSelection(only: [room]), RecordPermissions(rebind: released.intersection([room])))
    let lock =
      stack.isSimulated ? nil : try Claims.building(source.building.id, in: keeping.reports, for: run)
    defer { lock?.release() }
    let prepared: PreparedRun
    do {
      prepared = try PreparedRun(source, scope, siteKey: command.seal.siteKey, in: keeping.reports)
    } catch let failure as CommandFailure where failure.status == .manifest {
      walk.ended(room, isDone: false)
      return show("✗ \(failure.message)\n\(failure.advice ?? "")")
    }
    let request = prepared.request(
      as: run, manifest: command.manifest, isSimulated: stack.isSimulated, command.radio.choice,
      scanTime: command.radio.scanTime, parallel: 1)
    let progress = LiveProgress(
      clock: stack.clock, LiveProgress.Options(hidesEndings: true, takesKeys: false))
    let execution = RunExecution(
      prepared: prepared, run: run, stack: stack, keeping: keeping)
    let (requests, ask) = AsyncStream.makeStream(of: OperatorRequested.Request.self)
    var ended: RoomReport?
    let result = try await withThrowingTaskGroup(of: Void.self) { [stopped] group in
      group.addTask { if await stopped.value() != nil { ask.yield(.stop) } }
      defer { group.cancelAll() }
      return try await execution.carryOut(
        request, asking: .init(requests: requests), on: progress, stopped: stopped
      ) { report, _, _ in
        ended = report[room]
      }
    }
    if stopped.peeked != nil { isInterrupted = true }
    if let ended { show(ended) }
    _ = try result.status(adapter: command.radio.adapter.first)
  }

  private func show(_ report: RoomReport) {
    let isDone = report.outcome.isSuccess
    walk.ended(report.id, isDone: isDone)
    if isDone { view.done += 1 }
    let name = report.planned.name
    if isDone {
      let signal = report.rssi.map { ", \($0) dBm" } ?? ""
      show("✓ \(name) done\(signal)" + (walk.current.map { ", next \($0.name)" } ?? ""))
    } else {
      let words = Explanation(of: report, retry: "press r")
      show("✗ \(name): " + (words.map { "\($0.sentence)\n→ \($0.advice)" } ?? report.outcome.words))
    }
    guard !command.silent, Screen.standardError.isTerminal else { return }
    Console.ring()
    if !isDone { Console.ring() }
  }

  // MARK: The screen

  private func show(_ message: String) {
    view.message = message
    if !isLive { Console.show(message + "\n") }
  }

  private func draw() {
    guard isLive else { return }
    let style = Screen.standardError.style
    panel.draw(view.lines(style), width: style.width)
  }

  private func erase() { panel.erase(width: Screen.standardError.width) }

  /// Prints the counts and the next command.
  private func finish() {
    if isLive, !view.message.isEmpty { Console.show(view.message + "\n") }
    let left = walk.left
    let done = walk.stops.count - left.count
    Console.data(
      "\(done) of \(walk.stops.count) rooms done in this walk; the building: \(view.done) of \(view.rooms)\n")
    guard !left.isEmpty else { return }
    let names = left.prefix(12).map(\.name.visible).joined(separator: ", ")
    Console.data("Left: \(names)\(left.count > 12 ? " and \(left.count - 12) more" : "")\n")
    Console.data(
      "Next: roboprov walk \(command.manifest.shellQuoted)\(command.record.keeping.reportsOption)\n"
    )
  }
}
