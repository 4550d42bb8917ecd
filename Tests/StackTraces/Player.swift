package import Bluetooth
package import DBus

/// Runs a scenario with the `org.bluez` of a bus, and records the observations.
///
/// It runs on the connection's loop, so that replies keep their position among the signals.
package actor Player {
  /// Carries out an action of the environment; returns when it is done.
  package typealias Lab = @Sendable (StackScenario.LabEvent) async throws -> Void

  private nonisolated let connection: Connection
  private let clock: any TimeSource
  private let stackScenario: StackScenario
  private let lab: Lab
  private var labels: Labels
  private var began: MonotonicInstant
  private var events: [Event] = []
  private var wanted: (facts: Set<String>, met: CheckedContinuation<Bool, Never>)?

  /// The connection's loop.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

  /// The observations of one phase.
  package struct Observations: Sendable {
    /// The phase's name.
    package var phase: String
    /// The observations in the order of the wire.
    package var events: [Event]
  }

  /// A scenario that did not run to its end.
  package struct Stuck: Error, CustomStringConvertible {
    /// The phase in which it stopped.
    package var phase: String
    /// The facts that were not observed.
    package var missing: [String]
    /// The events that were observed.
    package var seen: [Event]

    /// Both, as text for people.
    package var description: String {
      "stuck in “\(phase)”: no \(missing.joined(separator: ", no "))\n"
        + seen.map { "  \($0.seconds) \($0.what) \($0.values.sorted { $0.key < $1.key })" }.joined(
          separator: "\n")
    }
  }

  /// Runs a scenario from its beginning to its end.
  /// - Parameters:
  ///   - clock: The clock for all times.
  ///   - lab: Carries out the actions of the environment.
  /// - Throws: `Stuck`, `DBusError`, any error of `lab`.
  package static func play(
    _ stackScenario: StackScenario, on bus: BusAddress, clock: any TimeSource, lab: @escaping Lab
  ) async throws -> [Observations] {
    let connection = try await Connection.open(bus)
    let player = Player(stackScenario, connection, clock, lab)
    do {
      let observations = try await player.play()
      await connection.close()
      return observations
    } catch {
      await connection.close()
      throw error
    }
  }

  private init(
    _ stackScenario: StackScenario, _ connection: Connection, _ clock: any TimeSource, _ lab: @escaping Lab
  ) {
    self.stackScenario = stackScenario
    self.connection = connection
    self.clock = clock
    self.lab = lab
    labels = Labels(sensors: stackScenario.sensors.count)
    began = clock.now
  }

  // MARK: Playing

  private func play() async throws -> [Observations] {
    let rules = [
      MatchRule(interface: "org.freedesktop.DBus.ObjectManager"),
      MatchRule(pathNamespace: "/org/bluez", interface: "org.freedesktop.DBus.Properties"),
      MatchRule(sender: "org.freedesktop.DBus", member: "NameOwnerChanged", arg0: "org.bluez"),
    ]
    for rule in rules {
      try await connection.subscribe(rule) { [weak self] signal in
        self?.assumeIsolated { $0.take(signal) }
      }
    }
    try await learnObjects()
    return try await withThrowingTaskGroup(of: Void.self) { calls in
      var observations: [Observations] = []
      for phase in stackScenario.phases {
        try await play(phase, &calls)
        observations.append(Observations(phase: phase.name, events: events))
      }
      calls.cancelAll()
      return observations
    }
  }

  private func learnObjects() async throws(DBusError) {
    let objects = try await connection.call(
      MethodCall(
        destination: "org.bluez", path: "/", interface: "org.freedesktop.DBus.ObjectManager",
        member: "GetManagedObjects"))
    for object in objects.first?.asEntries ?? [] {
      guard let path = object.key.asObjectPath else { continue }
      for interface in object.value.asEntries ?? [] {
        labels.learn(path, interface.key.asString ?? "", interface.value.asVardict ?? [:])
      }
    }
  }

  private func play(_ phase: StackScenario.Phase, _ calls: inout ThrowingTaskGroup<Void, any Error>)
    async throws
  {
    events = []
    began = clock.now
    var until = Set(phase.until ?? [])
    if let call = phase.call {
      let message = try labels.message(for: call)
      calls.addTask { await self.make(message, as: phase.name) }
      if phase.unanswered != true { until.insert("answer \(phase.name)") }
    }
    if let event = phase.lab { try await lab(event) }
    let missing = await wait(for: until, atMost: .seconds(phase.timeout ?? 30))
    guard missing.isEmpty else { throw Stuck(phase: phase.name, missing: missing.sorted(), seen: events) }
    try await clock.sleep(for: .seconds(phase.settle ?? 0.5))
    // The guest does not know the exact time of the lab's action, so the first effect is the zero of the
    // phase.
    if phase.lab != nil, let first = events.first?.seconds {
      for index in events.indices { events[index].seconds -= first }
    }
  }

  private func make(_ call: MethodCall, as name: String) async {
    var values: [String: String] = [:]
    do throws(DBusError) {
      let answer = try await connection.call(call, timeout: nil)
      values["ok"] = answer.map { labels.text($0) }.joined(separator: " ")
    } catch {
      guard error.kind == .remote else { return }
      values["error"] = error.description
    }
    note(Event(seconds: elapsed, what: "answer \(name)", values: values))
  }

  // MARK: Observing

  private var elapsed: Double { began.duration(to: clock.now) / .seconds(1) }

  private func take(_ signal: Signal) {
    if let event = labels.event(for: signal, seconds: elapsed) { note(event) }
  }

  private func note(_ event: Event) {
    events.append(event)
    wanted?.facts.subtract(event.facts + [event.what])
    guard let wanted, wanted.facts.isEmpty else { return }
    self.wanted = nil
    wanted.met.resume(returning: true)
  }

  /// Waits until facts were observed in this phase.
  /// - Returns: The facts that were not observed.
  private func wait(for facts: Set<String>, atMost timeout: Duration) async -> Set<String> {
    let missing = facts.subtracting(events.flatMap { $0.facts + [$0.what] })
    if missing.isEmpty { return [] }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.waitForever(for: missing) }
      group.addTask {
        try? await self.clock.sleep(for: timeout)
        await self.giveUp()
      }
      await group.next()
      group.cancelAll()
      giveUp()
    }
    return facts.subtracting(events.flatMap { $0.facts + [$0.what] })
  }

  private func waitForever(for facts: Set<String>) async {
    let missing = facts.subtracting(events.flatMap { $0.facts + [$0.what] })
    if missing.isEmpty { return }
    _ = await withCheckedContinuation { wanted = (missing, $0) }
  }

  private func giveUp() {
    wanted?.met.resume(returning: false)
    wanted = nil
  }
}
