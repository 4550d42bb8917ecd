import Application
import Bluetooth
import Engine
import Host
import Model
import Reporting

/// A session over labels at the terminal: it sends lines and keys, and shows questions, received devices and
/// results.
actor WalkSession {
  private let isAtTerminal = KeyReader.isPossible
  private let isLive = Screen.standardError.canRedraw && KeyReader.isPossible
  private let isSilent: Bool
  /// The number of rooms of the building, and of those that were done before.
  private let rooms: (all: Int, done: Int)
  private let clock: (any TimeSource)?
  private var view = WalkView()
  private var panel = LiveLines()
  /// The signal of the device that is located.
  private var track: (address: BluetoothAddress, signal: SignalTrack)?

  /// - Parameters:
  ///   - done: The number of rooms of the building that were done before.
  ///   - isSilent: Whether no bell sounds.
  init(
    _ building: Building, clock: (any TimeSource)?, isRehearsal: Bool, done: Int = 0, isSilent: Bool = true
  ) {
    (self.clock, self.isSilent, rooms) = (clock, isSilent, (building.rooms.count, done))
    view.building = building.name
    view.isSimulated = isRehearsal
  }

  /// Runs until every room was visited, the input ends, or the person quits.
  func run(
    _ walk: Walk, _ source: ManifestSource, _ means: LabelSession.Means
  ) async throws -> LabelSession.Ending {
    view.provisions = walk.provisions
    let session = LabelSession(walk, source, means) { session, event in await self.show(event, of: session) }
    let input = WalkInput()
    let interruptions = Interruptions {
      session.stop()
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
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await session.run() }
      group.addTask {
        await self.read(input, for: session)
        await session.end()
      }
      defer { group.cancelAll() }
      try await group.next()
      input.end()
      try await group.waitForAll()
    }
    erase()
    return await session.ending
  }

  private func read(_ input: WalkInput, for session: LabelSession) async {
    await session.untilReady()
    for await event in input.events {
      await look(session)
      switch event {
      case .tick: await session.compare()
      case .typed(let text):
        view.typed = text
        if isAtTerminal, !isLive { Console.askAgain(view.prompt.question + text) }
      case .interrupted: await session.interrupt()
      case .end: return
      case .entry(let entry):
        if isAtTerminal, !isLive { Console.say("") }
        if track != nil {
          track = nil
        } else if let device = await session.enter(entry) {
          await locate(device, session)
        }
      }
      guard await session.walk.prompt != .nothing else { return }
      await ask(session)
    }
  }

  private func show(_ event: LabelSession.Event, of session: LabelSession) async {
    switch event {
    case .ready:
      (view.rssi, view.proposal, track) = (nil, nil, nil)
      await ask(session)
    case .busy: erase()
    case .said(let text, _): say(text)
    case .ended(let report, let next, _): show(report, next: next)
    }
  }

  // MARK: Devices

  private func locate(_ device: DeviceReference, _ session: LabelSession) async {
    if isLive, let clock, let address = await session.address(of: device) {
      track = (address, SignalTrack(from: clock.now))
    } else {
      say(view.rssi.map(WalkView.signal) ?? "not received now")
    }
  }

  private func look(_ session: LabelSession) async {
    (view.rssi, view.proposal) = await session.look()
    guard var track, let now = clock?.now else {
      view.signal = nil
      return
    }
    if let sighting = await session.sighting(of: track.address), let received = sighting.lastReceived {
      track.signal.receive(rssi: sighting.rssi, on: sighting.adapter, at: received)
    }
    // The bell as in `roboprov find`.
    if track.signal.rings(at: now), !isSilent { Console.ring() }
    self.track = track
    let lines = SignalView.lines(
      track.signal, name: await session.walk.current?.name, address: track.address, at: now,
      style: Screen.standardError.style)
    view.signal = Array(lines.prefix(2))
  }

  // MARK: The screen

  private func show(_ report: RoomReport, next: String?) {
    say(report.walkWords(next: next, retry: "press r"))
    guard !isSilent, Screen.standardError.isTerminal else { return }
    Console.ring()
    if !report.outcome.isSuccess { Console.ring() }
  }

  /// Shows a message above the panel.
  private func say(_ text: String) {
    erase()
    let lines = isLive ? WalkView.wrapped(text, to: Screen.standardError.style.width) : [text]
    Console.show(lines.joined(separator: "\n") + "\n")
  }

  /// Shows the next question, unless it is shown already.
  private func ask(_ session: LabelSession) async {
    let walk = await session.walk
    if view.prompt != walk.prompt {
      view.prompt = walk.prompt
      if case .offset(let proposal) = walk.prompt { say(proposal.words) }
      if !isLive, walk.prompt != .nothing {
        Console.say(walk.prompt.words)
        if isAtTerminal { Console.ask(walk.prompt.question) }
      }
    }
    guard isLive else { return }
    if walk.provisions { view.counts = "\(rooms.done + walk.done)/\(rooms.all) done" }
    let style = Screen.standardError.style
    panel.draw(view.lines(style), width: style.width)
  }

  private func erase() { panel.erase(width: Screen.standardError.width) }
}
