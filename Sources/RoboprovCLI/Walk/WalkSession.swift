import Application
import Bluetooth
import Engine
import FoundationEssentials
import Host
import Model
import Reporting
import Waiting

/// Carries out the decisions of `Walk`: shows the questions and the received devices, writes labels into the manifest, and
/// prints the results.
actor WalkSession {
  /// The end of a session.
  struct Ending: Sendable {
    let walk: Walk
    /// The devices that were received; nil without a scan, and after one that failed.
    let air: AirLedger?
    let wasInterrupted: Bool
  }

  let radio: RadioOptions
  /// Nil without a scan.
  let stack: BluetoothStack?
  /// What provisions rooms; nil if labels are only read.
  let command: WalkCommand?
  private let isRehearsal: Bool
  private let isAtTerminal = KeyReader.isPossible
  private let isLive = Screen.standardError.canRedraw && KeyReader.isPossible
  let stopped = OneShot<Void>()
  var source: ManifestSource
  var walk: Walk
  /// The number of rooms of the building that were done before.
  private let done: Int
  private var air: AirLog?
  private var view = WalkView()
  private var seen: Set<BluetoothAddress> = []
  /// What each save changed, for undo: the manifest, and its rooms before it.
  var written: [(patches: [ManifestPatch], rooms: [Room])] = []
  /// Rooms whose device was undone. They can get another device than the one on record.
  private(set) var released: Set<RoomID> = []
  private var panel = LiveLines()
  /// The signal of the device that is located.
  private var track: (address: BluetoothAddress, signal: SignalTrack)?
  private var wasInterrupted = false

  /// - Parameters:
  ///   - isRehearsal: Nothing is saved.
  ///   - done: The number of rooms of the building that were done before.
  init(
    _ walk: Walk, _ source: ManifestSource, _ radio: RadioOptions, _ stack: BluetoothStack?,
    isRehearsal: Bool, done: Int = 0, provisioningFor command: WalkCommand? = nil
  ) {
    (self.walk, self.source, self.radio, self.stack) = (walk, source, radio, stack)
    (self.isRehearsal, self.done, self.command) = (isRehearsal, done, command)
    view.building = source.building.name
    view.isSimulated = isRehearsal
    view.provisions = walk.provisions
  }

  /// Runs until every room was visited, the input ends, or the person quits.
  func run() async throws -> Ending {
    let input = WalkInput()
    let interruptions = Interruptions { [stopped] in
      stopped.fulfill()
      input.interrupt()
    }
    defer { withExtendedLifetime(interruptions) {} }
    if !isLive {
      let enter = walk.provisions ? "Enter is `.`; " : ""
      let lines = isAtTerminal ? "" : "Each label or key is a line; \(enter)"
      Console.say("\(lines)s skips, u undoes, q quits, ? shows help")
    }
    input.begin()
    defer { input.end() }
    while walk.prompt != .nothing, !Task.isCancelled {
      guard let stack else {
        _ = await next(input, nil, [])
        continue
      }
      let action = try await stack.scanning(
        radio.choice, for: source.building, isQuiet: walk.provisions
      ) { air, adapters in
        // The adapters of other computers are not with the installer.
        let near = adapters.map(\.id).filter { $0.host == nil }
        return await self.next(input, air, near.isEmpty ? adapters.map(\.id) : near)
      }
      erase()
      // Devices that are received later count as new.
      seen.formUnion(await air?.air.free.map(\.address) ?? [])
      switch action {
      case .provision(let room): try await provision(room)
      case .identify(let device): try await identify(device)
      default: break
      }
    }
    erase()
    return Ending(walk: walk, air: await air?.current, wasInterrupted: wasInterrupted)
  }

  /// Ends the session after Ctrl-C.
  func interrupt() {
    wasInterrupted = true
    walk.end()
  }

  // MARK: The next action

  /// Carries out entries, until one needs the scan to end.
  private func next(_ input: WalkInput, _ air: AirLog?, _ adapters: [AdapterID]) async -> Walk.Action {
    self.air = air
    (view.rssi, view.proposal, track) = (nil, nil, nil)
    let (began, room) = (stack?.clock.now, walk.current?.room.id)
    ask()
    draw()
    for await event in input.events {
      await look(adapters, since: began)
      switch event {
      case .tick: await compare(since: began)
      case .typed(let text):
        view.typed = text
        if isAtTerminal, !isLive { Console.askAgain(walk.prompt.question + text) }
      case .interrupted: interrupt()
      case .end: walk.end()
      case .entry(let entry):
        if isAtTerminal, !isLive { Console.say("") }
        if track != nil {
          track = nil
          break
        }
        let action = walk.read(entry, nearest: view.proposal?.address)
        if let action = await take(action) { return action }
      }
      // The nearest device in another room shows in a scan of its own.
      if walk.prompt == .nothing || walk.provisions && walk.current?.room.id != room { break }
      ask()
      draw()
    }
    return .nothing
  }

  /// Carries out an action that needs no connection.
  /// - Returns: The one that does.
  private func take(_ action: Walk.Action) async -> Walk.Action? {
    switch action {
    case .nothing: break
    case .show(let message): say(message.words)
    case .save(let assignments): return await save(assignments) ? .provision(assignments[0].room) : nil
    case .provision: return action
    case .undo(let name): undo(name)
    case .locate(let device):
      if isLive, let now = stack?.clock.now, let address = await address(of: device) {
        track = (address, SignalTrack(from: now))
      } else {
        say(view.rssi.map(WalkView.signal) ?? "not received now")
      }
    case .identify(let device):
      if let address = await address(of: device) { return .identify(.address(address)) }
      say("not received now")
    }
    return nil
  }

  /// How long the scan runs before addresses of the manifest count as not on air.
  private static let survey = Duration.seconds(10)

  /// Compares the addresses of the manifest with what is on air, once the scan shows that.
  private func compare(since began: MonotonicInstant?) async {
    guard !walk.provisions, let began, let now = stack?.clock.now, began.duration(to: now) >= Self.survey,
      let received = await air?.current
    else { return }
    walk.compare { received[$0] != nil }
  }

  private func address(of device: DeviceReference) async -> BluetoothAddress? {
    if let address = device.address { return address }
    return await air?.air[device]?.address
  }

  private func look(_ adapters: [AdapterID], since began: MonotonicInstant?) async {
    guard walk.provisions, let now = stack?.clock.now, let began, let stop = walk.current,
      let ledger = await air?.air
    else { return }
    let device = stop.device ?? view.proposal.map { .address($0.address) }
    let sighting = device.flatMap { ledger[$0] }
    let isFresh = sighting?.lastReceived.map { $0.duration(to: now) <= WalkProposal.freshness } ?? false
    view.rssi = isFresh ? sighting?.strongest.rssi : nil
    locate(in: ledger, now: now)
    guard stop.device == nil, !stop.needsLabel else { return }
    view.proposal = WalkProposal(
      ledger.free(for: stop.room.family.id), except: walk.taken, seen: seen, on: adapters, since: began,
      now: now)
  }

  /// Updates the signal of the device to locate, with the bell as in `roboprov find`.
  private func locate(in ledger: AirLedger, now: MonotonicInstant) {
    guard var track else {
      view.signal = nil
      return
    }
    if let sighting = ledger[track.address], let received = sighting.lastReceived {
      track.signal.receive(rssi: sighting.rssi, on: sighting.adapter, at: received)
    }
    if track.signal.rings(at: now), command?.silent == false { Console.ring() }
    self.track = track
    let lines = SignalView.lines(
      track.signal, name: walk.current?.name, address: track.address, at: now,
      style: Screen.standardError.style)
    view.signal = Array(lines.prefix(2))
  }

  // MARK: The manifest

  /// - Returns: Whether the room is to be provisioned.
  private func save(_ assignments: [Walk.Assignment]) async -> Bool {
    if walk.provisions, let problem = await problem(with: assignments[0]) {
      walk.notSaved()
      say(problem)
      return false
    }
    let rooms = source.building.rooms.filter { room in assignments.contains { $0.room == room.id } }
    var complete = assignments
    do {
      if !isRehearsal { complete = try DeviceLabel.completed(assignments, in: source.building) }
      let patches = isRehearsal ? [] : try DeviceLabel.write(complete, to: source.path)
      if walk.provisions, !isRehearsal {
        // The digest for the record must be that of the changed manifest.
        let resolved = source.building
        source = try ManifestSource.load(source.path)
        source.building = resolved
      }
      written.append((patches, rooms))
    } catch {
      walk.notSaved()
      say("not saved: \(Self.words(error))")
      return false
    }
    for assignment in complete { source.setLabel(assignment) }
    if walk.provisions {
      walk.saved()
      return true
    }
    let received = await air?.current
    walk.saved(received.map { received in { received[$0] != nil } })
    for assignment in assignments { say(words(for: assignment, received)) }
    return false
  }

  /// Why a label's device must not be provisioned: its identity shows that it is at work for another room.
  private func problem(with assignment: Walk.Assignment) async -> String? {
    guard let identity = await air?.air[assignment.device]?.identityAtWork,
      let owner = source.building.rooms.first(where: { $0.identity == identity }), owner.id != assignment.room
    else { return nil }
    return
      "Wrong device: \(assignment.device) is at work with \(identity.distinction), which belongs to \(owner.name)"
  }

  private func undo(_ name: String) {
    guard let last = written.last else { return }
    do {
      for patch in last.patches.reversed() { try patch.takeBack() }
    } catch {
      return say("not undone: \(Self.words(error))")
    }
    written.removeLast()
    for room in last.rooms {
      released.insert(room.id)
      source.removeLabel(from: room)
    }
    walk.undone()
    say("undone: \(name)")
  }

  private static func words(_ error: any Error) -> String { (error as? CommandFailure)?.text ?? "\(error)" }

  /// The message about a device that was saved.
  private func words(for assignment: Walk.Assignment, _ received: AirLedger?) -> String {
    let offset = walk.offset > 0 && assignment.device.address != nil ? " (label + \(walk.offset))" : ""
    var words = "\(assignment.name): \(assignment.device) \(isRehearsal ? "taken" : "saved")\(offset)\n"
    guard let received else { return words + "not compared with what is on air" }
    guard let sighting = received[assignment.device] else { return words + "not received" }
    words += "on air, " + (sighting.life?.recognition.shortWords ?? "not recognised")
    words += sighting.strongest.rssi.map { ", \($0) dBm" } ?? ""
    let wanted = source.building.rooms.first { $0.id == assignment.room }?.family.id
    if let family = sighting.life?.profile, let wanted, family != wanted {
      words += ": it is a \(family), but the manifest has a \(wanted)"
    }
    return words + (assignment.device.address == nil ? "" : LabelWords.changingAddress(of: sighting))
  }

  // MARK: The screen

  /// Shows a message above the panel.
  func say(_ text: String) {
    erase()
    let lines = isLive ? WalkView.wrapped(text, to: Screen.standardError.style.width) : [text]
    Console.show(lines.joined(separator: "\n") + "\n")
  }

  /// Shows the next question, unless it is shown already.
  private func ask() {
    guard view.prompt != walk.prompt else { return }
    view.prompt = walk.prompt
    if case .offset(let proposal) = walk.prompt { say(proposal.words) }
    guard !isLive, walk.prompt != .nothing else { return }
    Console.say(walk.prompt.words)
    if isAtTerminal { Console.ask(walk.prompt.question) }
  }

  private func draw() {
    guard isLive else { return }
    if walk.provisions { view.counts = "\(done + walk.done)/\(source.building.rooms.count) done" }
    let style = Screen.standardError.style
    panel.draw(view.lines(style), width: style.width)
  }

  private func erase() { panel.erase(width: Screen.standardError.width) }
}
