import Bluetooth
import Model

/// The runs on which the state of each room and device rests: finds those that did not know each other.
///
/// Runs of two laptops may both write a device, or one writes a room that the other retires. Then the order of
/// the runs, which nobody knows, would decide. A run that knows them all and writes or decides settles it.
struct Touches {
  /// What a run did to a room or device, as far as it matters to a run that did not know of it.
  private enum Effect: Int {
    /// It received the device as wanted, or bound it.
    case observed
    /// A person released the device, or retired the room.
    case decided
    /// It wrote the device, or found that the device does not hold what is on record.
    case written

    /// Whether the result depends on which of the two came last.
    func contradicts(_ other: Effect) -> Bool {
      switch (self, other) {
      case (.written, .written), (.written, .decided), (.decided, .written): true
      case (.decided, .observed), (.observed, .decided): true
      case (.observed, .observed), (.observed, .written), (.written, .observed), (.decided, .decided): false
      }
    }
  }

  private enum Subject: Hashable {
    case room(RoomID)
    case device(BluetoothAddress)
  }

  private struct Touch {
    var run: String
    var room: RoomID
    var effect: Effect
  }

  private let order: RunOrder
  private var touches: [Subject: [Touch]] = [:]

  init(_ order: RunOrder) { self.order = order }

  /// Adds a fact of a run. The runs that it knows must have been added before.
  /// - Returns: whether a person accepted the room in spite of runs that contradict each other.
  mutating func add(_ fact: Fact, of run: String) -> Bool {
    if order.isComplete { return false }
    if case .roomAccepted(let accepted) = fact {
      let room = accepted.room
      return settle(touches.filter { $0.value.contains { $0.room == room } }.map(\.key), of: room, in: run)
    }
    let effect = Self.effect(of: fact)
    let settles = if case .roomFinished(let fact) = fact { fact.isReadCompletely } else { false }
    guard let room = fact.room else { return false }
    let subjects = [.room(room)] + (fact.address.map { [Subject.device($0)] } ?? [])
    if settles { _ = settle(subjects, of: room, in: run) }
    if let effect {
      for subject in subjects { add(Touch(run: run, room: room, effect: effect), to: subject) }
    }
    return false
  }

  private mutating func add(_ touch: Touch, to subject: Subject) {
    let all = touches[subject] ?? []
    if all.contains(where: { $0.run == touch.run && $0.effect.rawValue >= touch.effect.rawValue }) { return }
    func isReplaced(_ other: Touch) -> Bool {
      guard other.run == touch.run || order.knows(touch.run, other.run) else { return false }
      return touch.effect != .observed || other.effect == .observed
    }
    // An observation does not end a contradiction of the runs that it knows.
    let keepsAll = touch.effect == .observed && !contradictions(in: all).isEmpty
    touches[subject] = (keepsAll ? all : all.filter { !isReplaced($0) }) + [touch]
  }

  /// A person accepted the room, or all its settings were read: that settles what the run knows. What was
  /// written before may still contradict runs that it does not know.
  /// - Returns: whether there was anything to settle.
  private mutating func settle(_ subjects: [Subject], of room: RoomID, in run: String) -> Bool {
    var isSettled = false
    for subject in subjects {
      let all = touches[subject] ?? []
      let known = all.filter { order.knows(run, $0.run) }
      guard !contradictions(in: known).isEmpty else { continue }
      isSettled = true
      let strongest = known.contains { $0.effect == .written } ? Effect.written : .decided
      touches[subject] =
        all.filter { !order.knows(run, $0.run) } + [Touch(run: run, room: room, effect: strongest)]
    }
    return isSettled
  }

  /// The rooms whose state depends on the order of runs that did not know each other, with these runs, sorted.
  var unordered: [RoomID: [String]] {
    var runs: [RoomID: Set<String>] = [:]
    for all in touches.values {
      for (a, b) in contradictions(in: all) {
        for room in [a.room, b.room] { runs[room, default: []].formUnion([a.run, b.run]) }
      }
    }
    return runs.mapValues { $0.sorted() }
  }

  /// The pairs of runs that did not know each other and contradict each other.
  private func contradictions(in touches: [Touch]) -> [(Touch, Touch)] {
    touches.indices.flatMap { index in
      let touch = touches[index]
      return touches[..<index].filter { other in
        // The other one was added before, so it does not know this one.
        other.run != touch.run && other.effect.contradicts(touch.effect) && !order.knows(touch.run, other.run)
      }.map { ($0, touch) }
    }
  }

  private static func effect(of fact: Fact) -> Effect? {
    switch fact {
    case .bindingCommitted: .observed
    case .bindingReleased, .roomRetired: .decided
    // The device waits for a configuration, or is being written.
    case .attemptStarted(let fact): fact.fresh ?? true ? .written : nil
    case .settingWritten, .saveSubmitted: .written
    case .attemptEnded(let fact):
      fact.failure?.content?.deniesSave == true ? .written : nil
    case .roomFinished(let fact): effect(of: fact)
    case .roomVerified(let fact): fact.finding == .onAir ? .observed : nil
    default: nil
    }
  }

  private static func effect(of fact: RoomFinished) -> Effect? {
    fact.reason?.content == .other ? .written : fact.outcome.isSuccess ? .observed : nil
  }
}

extension RoomFinished {
  /// Whether this run read all settings of the device, and they are as wanted.
  fileprivate var isReadCompletely: Bool {
    outcome.isSuccess && evidence?.run == nil && !settings.isEmpty
      && settings.allSatisfy { $0.state == .proved }
  }
}
