package import Bluetooth

/// The running virtual building: sensors, a host's adapters and links, and the radio between them. It models
/// physics and firmware, not the Bluetooth stack.
///
/// Time passes only while `run()` runs. All events come from one queue ordered by (instant, sequence), so on
/// a virtual clock equal seeds give equal worlds.
package actor World {
  /// The scenario that the world was made from.
  package nonisolated let scenario: Scenario
  let clock: any TimeSource
  var radio: RadioParameters { scenario.radio }

  /// Iteration over all sensors is in the order of their addresses.
  var sensors: SensorTable
  var adapterStates: [BluetoothAddress: AdapterState] = [:]
  let adapterOrder: [BluetoothAddress]
  /// The scan state of each adapter, in the same order, and the indices of the sensors in range.
  var scans: [ScanState]
  let audible: [[Int]]
  var links: [LinkID: LinkState] = [:]
  var endedLinks: [LinkID: Disconnection] = [:]
  var operations: [OperationID: Operation] = [:]
  /// Requests on air whose callers were cancelled.
  var abandoned: [OperationID: Operation.Kind] = [:]
  /// Cache entries that `forget` has removed.
  var forgotten: Set<CacheKey> = []
  /// The stack's storage: peripherals that it was connected to, until it forgets them.
  var stored: Set<CacheKey> = []
  /// The stack's keys, with the security that each gives to a link.
  var bonds: [CacheKey: LinkSecurity] = [:]
  /// The other programs that scan with an adapter.
  package internal(set) var foreignScans: [BluetoothAddress: [String]] = [:]
  /// Adapters that are discovering but receive nothing.
  var deaf: Set<BluetoothAddress> = []
  /// Adapters that make no link.
  var withoutLinks: Set<BluetoothAddress> = []
  /// All hosts, and those whose stack is stopped; nil for this computer.
  let hosts: Set<HostName?>
  var stopped: Set<HostName?> = []
  /// All writes to sensors, in the order of arrival.
  package internal(set) var writes: [WriteRecord] = []

  private var phase = Phase.new
  private var events = EventQueue<WorldEvent>()
  /// The instants at which a task will wake to process the queue.
  private var alarms: [MonotonicInstant] = []
  private var isLookingAfter = false
  private var sinks: [Sink] = []
  private var lastID: UInt64 = 0
  private let inbox: AsyncStream<Message>
  private let inboxEnd: AsyncStream<Message>.Continuation

  enum Phase { case new, running, over }

  /// A message to the running world from outside its isolation.
  enum Message: Sendable {
    /// Wake at an instant.
    case alarm(MonotonicInstant)
    /// The caller of an operation was cancelled.
    case cancelled(OperationID)
    /// Work on a host, whether or not anything waits for it.
    case work(@Sendable () async -> Void)
  }

  /// A receiver of the events at hosts.
  private struct Sink {
    let id: UInt64
    let hosts: Hosts
    let take: @Sendable (HostEvent) -> Void
  }

  /// Which hosts.
  package enum Hosts: Hashable, Sendable {
    case all
    /// One host; nil for this computer.
    case one(HostName?)

    func include(_ host: HostName?) -> Bool {
      switch self {
      case .all: true
      case .one(let own): own == host
      }
    }

    func overlaps(_ other: Hosts) -> Bool { self == .all || other == .all || self == other }
  }

  /// Creates a world in the scenario's initial state. Addresses must differ, and initial values of sensors
  /// must be valid; the reader of a scenario has to check this.
  package init(scenario: Scenario, clock: any TimeSource) {
    self.scenario = scenario
    self.clock = clock
    (inbox, inboxEnd) = AsyncStream.makeStream()
    let generator = SeededGenerator(seed: scenario.seed)
    hosts = Set([nil] + scenario.adapters.map(\.host) + scenario.hosts.map(\.name))
    let now = clock.now
    let adapterOrder = scenario.adapters.map(\.address).sorted()
    let sensors = SensorTable(
      scenario.sensors.map { SensorState($0, in: scenario, on: adapterOrder, generator, since: now) })
    self.sensors = sensors
    self.adapterOrder = adapterOrder
    scans = adapterOrder.map { _ in ScanState(receivesFrom: now) }
    audible = adapterOrder.indices.map { adapter in
      sensors.indices.filter { sensors[$0].receivers.contains { $0.adapter == adapter } }
    }
    adapterStates = Dictionary(
      uniqueKeysWithValues: scenario.adapters.map { ($0.address, AdapterState($0, generator)) })
  }

  // MARK: Running

  /// Runs the world until the task is cancelled. It can be called only once. Afterwards every operation fails
  /// with `stackStopped`.
  package func run() async {
    precondition(phase == .new, "a world runs only once")
    phase = .running
    let now = clock.now
    for number in sensors.indices {
      let sensor = sensors[number].scenario
      schedule(.appear(sensor.address), after: sensor.appearsAfter, since: now)
    }
    await withDiscardingTaskGroup { group in
      for await message in inbox {
        switch message {
        case .alarm(let instant):
          group.addTask { await self.keepWatch(from: instant) }
        case .cancelled(let operation):
          callerCancelled(operation)
        case .work(let work):
          group.addTask { await work() }
        }
      }
      group.cancelAll()
    }
    end()
  }

  private func end() {
    phase = .over
    stopped = hosts
    for id in links.keys.sorted() { linkDown(id, .stackLost) }
    for id in operations.keys.sorted() { finish(id, .failure(.stackStopped)) }
    for sink in sinks { sink.take(.stack(isRunning: false)) }
  }

  /// Sleeps until an alarm, processes the queue, and continues with the next alarm unless another task waits
  /// for that one or an earlier one.
  private func keepWatch(from instant: MonotonicInstant) async {
    var next: MonotonicInstant? = instant
    while let instant = next {
      guard (try? await clock.sleep(until: instant, tolerance: nil)) != nil else { return }
      next = lookAfter(instant)
    }
  }

  /// Processes all events that are due. Returns the next alarm to set.
  private func lookAfter(_ instant: MonotonicInstant) -> MonotonicInstant? {
    guard phase == .running else { return nil }
    alarms.removeAll { $0 == instant }
    isLookingAfter = true
    let now = max(clock.now, instant)
    while let event = events.popFirst(dueBy: now) { happen(event) }
    isLookingAfter = false
    return newAlarm()
  }

  /// Returns a new alarm if the next event is due before all alarms that are set. A superfluous alarm has no
  /// effect; cancelling it would cost more.
  private func newAlarm() -> MonotonicInstant? {
    guard let due = events.first, alarms.allSatisfy({ due < $0 }) else { return nil }
    alarms.append(due)
    return due
  }

  func schedule(_ event: WorldEvent, at instant: MonotonicInstant) {
    events.insert(event, at: instant)
    // While the queue is processed, the alarm for the remaining events is set afterwards.
    if !isLookingAfter, let due = newAlarm() { inboxEnd.yield(.alarm(due)) }
  }

  func schedule(_ event: WorldEvent, after delay: Duration, since instant: MonotonicInstant? = nil) {
    schedule(event, at: (instant ?? clock.now).advanced(by: delay))
  }

  private func happen(_ event: WorldEvent) {
    switch event {
    case .appear(let address): appear(address)
    case .started(let address, let life): started(address, life)
    case .timer(let address, let life, let timer): timerRanOut(address, life, timer)
    case .advertise(let sensor, let turn): advertise(sensor, turn)
    case .scanEnds(let adapter, let scan): scanEnds(adapter, scan)
    case .sensorLosesLink(let address, let link): sensorSide(address, loses: link)
    case .received(let operation): received(operation)
    case .attemptEnds(let operation): attemptEnds(operation)
    case .arrives(let operation): arrives(operation)
    case .completes(let operation, let result): finish(operation, result)
    case .unanswered(let operation): unanswered(operation)
    case .unconfirmedWrite(let link, let handle, let value): unconfirmedWrite(link, handle, value)
    case .resolved(let operation): resolved(operation)
    case .notified(let link, let handle, let value):
      guard let adapter = links[link]?.adapter else { return }
      emit(
        .notification(link, handle, CharacteristicNotification(value: value, receivedAt: clock.now)),
        at: adapter)
    case .linkDown(let link, let cause): linkDown(link, cause)
    }
  }

  func newID() -> UInt64 {
    lastID += 1
    return lastID
  }

  // MARK: Events for the host

  /// Passes the events at hosts to `sink` from now on, beginning with the current adapters. The world calls it in order,
  /// so it must not block. Returns the number for `detach`.
  package func attach(to hosts: Hosts = .all, _ sink: @escaping @Sendable (HostEvent) -> Void) -> UInt64 {
    let id = newID()
    sinks.append(Sink(id: id, hosts: hosts, take: sink))
    sink(.stack(isRunning: isStackRunning(of: hosts)))
    sink(.adapters(adapters(of: hosts)))
    return id
  }

  /// Stops passing events to the sink with this number.
  package func detach(_ id: UInt64) {
    sinks.removeAll { $0.id == id }
  }

  /// Passes on an event at an adapter.
  func emit(_ event: HostEvent, at adapter: BluetoothAddress) {
    let host = host(of: adapter)
    for sink in sinks where sink.hosts.include(host) { sink.take(event) }
  }

  /// Passes on whether the stack of hosts runs, and their adapters.
  func emitStack(of hosts: Hosts) {
    let sinks = sinks.filter { $0.hosts.overlaps(hosts) }
    for sink in sinks { sink.take(.stack(isRunning: isStackRunning(of: sink.hosts))) }
    for sink in sinks { sink.take(.adapters(adapters(of: sink.hosts))) }
  }

  /// Passes on the adapters of the host of one that has changed.
  func emitAdapters(_ changed: BluetoothAddress) {
    for sink in sinks where sink.hosts.include(host(of: changed)) {
      sink.take(.adapters(adapters(of: sink.hosts)))
    }
  }

  /// The host of an adapter; nil for this computer.
  func host(of adapter: BluetoothAddress) -> HostName? { adapterStates[adapter]?.scenario.host }

  /// Does work on a host. Returns false once the world has ended.
  package nonisolated func carryOut(_ work: @escaping @Sendable () async -> Void) -> Bool {
    if case .terminated = inboxEnd.yield(.work(work)) { false } else { true }
  }

  // MARK: Operations

  /// Starts an operation and waits for its end. `begin` runs at once and isolated; whatever ends the
  /// operation calls `finish`.
  func perform(
    cancellable: Bool = true, _ kind: Operation.Kind, _ begin: (OperationID) -> Void
  ) async throws(LinkError) -> OperationResult {
    guard phase != .over else { throw .stackStopped }
    let id = newID()
    let inboxEnd = inboxEnd
    let result: Result<OperationResult, LinkError>
    if cancellable {
      result = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          // The message of the cancellation handler is read later, so no cancellation is missed.
          guard !Task.isCancelled else {
            continuation.resume(returning: .failure(.cancelled))
            return
          }
          operations[id] = Operation(kind: kind, continuation: continuation)
          begin(id)
        }
      } onCancel: {
        inboxEnd.yield(.cancelled(id))
      }
    } else {
      result = await withCheckedContinuation { continuation in
        operations[id] = Operation(kind: kind, continuation: continuation)
        begin(id)
      }
    }
    return try result.get()
  }

  /// Ends an operation. Has no effect if it has ended.
  func finish(_ id: OperationID, _ result: Result<OperationResult, LinkError>) {
    operations.removeValue(forKey: id)?.continuation.resume(returning: result)
  }

  private func callerCancelled(_ id: OperationID) {
    guard let operation = operations[id] else { return }
    switch operation.kind {
    case .connect:
      cancelAttempt(id)
    case .request where !operation.hasArrived:
      // No task waits for the response any more, but the request is on air and will arrive.
      abandoned[id] = operation.kind
      finish(id, .failure(.cancelled))
    case .request, .resolve, .pair, .disconnect, .ending, .host:
      finish(id, .failure(.cancelled))
    }
  }
}
