package import Bluetooth
package import Engine
import FoundationEssentials
import Host
package import Model
package import Reporting
import Waiting

/// A session over the labels of a building: it carries out what `Walk` decides. It scans, writes labels into the manifest,
/// takes them back, provisions rooms, and has devices blink. The terminal and the phones send it entries, and show its words
/// and changes.
package actor LabelSession {
  /// How rooms are provisioned.
  package struct Provisioning: Sendable {
    let keeping: RecordKeeping
    let siteKey: String?
    let manifest: String
    /// Shows a run.
    let display: @Sendable (any TimeSource) -> any RunDisplay

    package init(
      keeping: RecordKeeping, siteKey: String?, manifest: String,
      display: @escaping @Sendable (any TimeSource) -> any RunDisplay
    ) {
      (self.keeping, self.siteKey, self.manifest, self.display) = (keeping, siteKey, manifest, display)
    }
  }

  /// What is used of this computer.
  package struct Means: Sendable {
    /// Nil without a scan.
    let stack: BluetoothStack?
    let adapters: AdapterChoice
    /// In seconds.
    let scanTime: Double
    /// Nothing is saved.
    let isRehearsal: Bool
    /// Nil if labels are only read.
    let provisioning: Provisioning?

    package init(
      stack: BluetoothStack?, adapters: AdapterChoice, scanTime: Double, isRehearsal: Bool,
      provisioning: Provisioning? = nil
    ) {
      (self.stack, self.adapters, self.scanTime) = (stack, adapters, scanTime)
      (self.isRehearsal, self.provisioning) = (isRehearsal, provisioning)
    }
  }

  /// What the terminal shows.
  package enum Event: Sendable {
    /// A scan has begun, or would, so entries are taken.
    case ready
    /// The scan has ended for something else.
    case busy
    /// A message about what somebody did.
    case said(String, Walk.Person)
    /// A room's run has ended.
    case ended(RoomReport, next: String?, Walk.Person)
  }

  /// The end of a session.
  package struct Ending: Sendable {
    package let walk: Walk
    /// The devices that were received; nil if no adapter scanned at the end.
    package let air: AirLedger?
    package let wasInterrupted: Bool

    package init(walk: Walk, air: AirLedger? = nil, wasInterrupted: Bool = false) {
      (self.walk, self.air, self.wasInterrupted) = (walk, air, wasInterrupted)
    }
  }

  /// What needs the scan to end.
  enum Job: Sendable {
    case provision([RoomID], Walk.Person)
    case identify(BluetoothAddress, OneShot<PhoneAnswer>)
    /// Only a new scan: what is nearest in another room shows there.
    case renew
  }

  let means: Means
  var source: ManifestSource
  package internal(set) var walk: Walk
  private let show: @Sendable (LabelSession, Event) async -> Void
  /// Ends the run that is at work, and the session.
  nonisolated let stopped = OneShot<Void>()
  /// The rooms that wait for their run, in the order of their labels.
  var waiting: [(room: RoomID, person: Walk.Person)] = []
  var working: Set<RoomID> = []
  private var jobs: [Job] = []
  /// What each save changed, for undo.
  var written: [(person: Walk.Person, patches: [ManifestPatch], rooms: [Room])] = []
  /// Rooms whose device was undone. They can get another device than the one on record.
  var released: Set<RoomID> = []
  /// The present scan, or the last one.
  private(set) var air: AirLog?
  /// What the scan before it received.
  private var earlier: AirLedger?
  /// The adapters that scan, or did until the present run, and since when.
  private var scanning: [(adapter: Adapter, since: MonotonicInstant, wall: Date)] = []
  /// When an adapter last began to scan.
  private(set) var began: MonotonicInstant?
  /// When the present scan ended; nil while it lasts.
  private var pausedAt: MonotonicInstant?
  private var seen: Set<BluetoothAddress> = []
  private(set) var proposal: WalkProposal?
  private var wake = OneShot<Void>()
  private var ready = OneShot<Void>()
  private var wasInterrupted = false
  var hasEnded = false
  /// Phones are served: a scan or run that fails ends nothing.
  private let servesPhones: Bool
  var phones = PhoneNotes()

  package init(
    _ walk: Walk, _ source: ManifestSource, _ means: Means, servesPhones: Bool = false,
    show: @escaping @Sendable (LabelSession, Event) async -> Void
  ) {
    (self.walk, self.source, self.means, self.show, self.servesPhones) = (
      walk, source, means, show, servesPhones
    )
    // A room where nobody stands is nobody's.
    if servesPhones { self.walk.leave(by: .terminal) }
  }

  // MARK: The loop

  /// The length of a scan window: most chips report a device once for each, and nearness needs three reports.
  private static let window = Duration.seconds(2)

  /// Scans and works until the session ends.
  /// - Throws: `CommandFailure` if there is no adapter, or a run could not be made.
  package func run() async throws {
    while !hasEnded, !Task.isCancelled {
      do {
        try await step()
      } catch let failure as CommandFailure where servesPhones && failure.status != .record {
        phones.problem = failure.message
        publish()
        await say(failure.text, .terminal)
        try? await means.stack?.clock.sleep(for: .seconds(5))
      }
      if stopped.peeked != nil { interrupt() }
      if !servesPhones, walk.prompt == .nothing { end() }
    }
    ready.fulfill()
  }

  private func step() async throws {
    let job: Job?
    if let stack = means.stack {
      let log = AirLog(AirLedger(families: source.building.families))
      scanning = []
      let reception = Reception(
        stack: stack, adapters: means.adapters, building: source.building,
        window: ScanWindow(silence: Self.window))
      job = try await reception.run(beside: { await self.next(log) }) { event in
        if case .received(let advertisement) = event {
          _ = await log.receive(advertisement)
        } else {
          await self.take(event)
        }
      }
      // Devices that are received later count as new.
      seen.formUnion(await air?.air.free.map(\.address) ?? [])
      pausedAt = stack.clock.now
    } else {
      job = await next(nil)
    }
    switch job {
    case .provision(let rooms, let person)?:
      defer {
        working = []
        publish()
      }
      do {
        try await provision(rooms, for: person)
      } catch let failure as CommandFailure where servesPhones {
        // Those whose run did not come so far.
        for room in rooms where working.contains(room) { fail(room, failure, by: person) }
        throw failure
      }
    case .identify(let address, let answer)?: answer.fulfill(try await identify(address))
    case .renew?, nil: break
    }
  }

  private func take(_ event: Reception.Event) {
    switch event {
    case .scanning(let adapter):
      guard let stack = means.stack else { return }
      let now = stack.clock.now
      scanning.append((adapter, now, stack.wall()))
      // What an adapter receives first is not new.
      began = now
      if !walk.provisions { Messages.say("Scanning on \(adapter.name)") }
    case .lost(let adapter): scanning.removeAll { $0.adapter.id == adapter.id }
    case .received: break
    }
  }

  private func next(_ log: AirLog?) async -> Job? {
    earlier = await air?.air ?? earlier
    (air, pausedAt, proposal) = (log, nil, nil)
    phones.problem = nil
    await tell(.ready)
    ready.fulfill()
    while !hasEnded, stopped.peeked == nil, !Task.isCancelled {
      if !jobs.isEmpty { return await begin(jobs.removeFirst()) }
      if let person = waiting.first?.person {
        let rooms = waiting.filter { $0.person == person }.map(\.room)
        waiting.removeAll { $0.person == person }
        working.formUnion(rooms)
        return await begin(.provision(rooms, person))
      }
      wake = OneShot()
      _ = await wake.value()
    }
    return nil
  }

  private func begin(_ job: Job) async -> Job {
    await tell(.busy)
    publish()
    return job
  }

  func add(_ job: Job) {
    jobs.append(job)
    awaitReady()
    wake.fulfill()
  }

  /// Until the next scan has begun, no further entry at the terminal is taken.
  private func awaitReady() { if ready.peeked != nil { ready = OneShot() } }

  /// Has a room wait for its run.
  func queue(_ room: RoomID, by person: Walk.Person) {
    guard !working.contains(room), !waiting.contains(where: { $0.room == room }) else { return }
    waiting.append((room, person))
    if person == .terminal { awaitReady() }
    wake.fulfill()
  }

  /// Ends the run that is at work in order, from any thread. The session ends with it.
  package nonisolated func stop() { stopped.fulfill() }

  /// Ends the session.
  package func end() {
    hasEnded = true
    walk.end()
    wake.fulfill()
    ready.fulfill()
    phones.end()
  }

  /// Ends the session after Ctrl-C. With phones that is its usual end, unless a run is at work.
  package func interrupt() {
    wasInterrupted = !servesPhones || !working.isEmpty || wasInterrupted
    end()
  }

  package var ending: Ending {
    get async { Ending(walk: walk, air: await received.current, wasInterrupted: wasInterrupted) }
  }

  func tell(_ event: Event) async { await show(self, event) }

  func say(_ text: String, _ person: Walk.Person) async { await tell(.said(text, person)) }

  /// Waits until entries are taken.
  package func untilReady() async { _ = await ready.value() }

  // MARK: The terminal

  /// Takes a scanned label, a typed line or a key at the terminal.
  /// - Returns: The device to locate, if that was asked for, once what follows from the entry was done.
  package func enter(_ text: String) async -> DeviceReference? {
    let room = walk.stop(of: .terminal)?.room.id
    let received = await received
    let action = walk.read(text, nearest: proposal?.address)
    if case .locate(let device) = action { return device }
    if let answer = await take(action, received, by: .terminal) { await say(answer.words, .terminal) }
    // The nearest device in another room shows in a scan of its own.
    let isElsewhere = walk.provisions && walk.prompt != .nothing && walk.stop(of: .terminal)?.room.id != room
    if isElsewhere, ready.peeked != nil { add(.renew) }
    _ = await ready.value()
    return nil
  }

  /// How long the scan runs before addresses of the manifest count as not on air.
  private static let survey = Duration.seconds(10)

  /// Compares the addresses of the manifest with what is on air, once the scan shows that.
  package func compare() async {
    guard !walk.provisions, let began, let now = means.stack?.clock.now,
      began.duration(to: now) >= Self.survey, let received = await received.current
    else { return }
    walk.compare { received[$0] != nil }
  }

  // MARK: What is received

  /// What was received by now: all of it, and nil while no adapter scans. An entry takes it first: between a decision of the
  /// walk and its effect nobody else may decide.
  typealias Received = (all: AirLedger?, current: AirLedger?)

  var received: Received {
    get async {
      let all = await air?.air
      return (all, scanning.isEmpty ? nil : all)
    }
  }

  /// The address of a device; nil for a name that is not received.
  package func address(of device: DeviceReference) async -> BluetoothAddress? {
    if let address = device.address { return address }
    return await air?.air[device]?.address
  }

  package func sighting(of address: BluetoothAddress) async -> AirLedger.Sighting? {
    await air?.air[address]
  }

  /// Looks for the device of the terminal's room, or for one to propose for it.
  /// - Returns: The device's RSSI in dBm; nil if it is not received now.
  package func look() async -> (rssi: Int?, proposal: WalkProposal?) {
    guard walk.provisions, let stop = walk.stop(of: .terminal), let now = means.stack?.clock.now,
      let ledger = await air?.air
    else { return (nil, nil) }
    let device = stop.device ?? proposal.map { .address($0.address) }
    let sighting = device.flatMap { ledger[$0] }
    let isFresh = sighting?.lastReceived.map { $0.duration(to: now) <= WalkProposal.freshness } ?? false
    if stop.device == nil, !stop.needsLabel {
      proposal = propose(
        for: stop.room, in: ledger, on: carried.isEmpty ? scanning.map(\.adapter.id) : carried)
    }
    return (isFresh ? sighting?.strongest.rssi : nil, proposal)
  }

  /// The adapters that are with the installer: those of other computers are not.
  var carried: [AdapterID] { scanning.map(\.adapter.id).filter { $0.host == nil } }

  /// The adapters that have scanned as long as the survey of a run; none if a device sent the identity of one of these rooms, so
  /// that their run looks for itself.
  func surveyed(for rooms: [RoomID]) async -> Set<AdapterID> {
    guard let stack = means.stack, let ledger = await air?.air else { return [] }
    let (end, wall) = (pausedAt ?? stack.clock.now, stack.wall())
    let identities = source.building.rooms.filter { rooms.contains($0.id) }.compactMap(\.identity)
    let isSent = ledger.all.contains { device in
      identities.contains { ledger.mayHaveSent($0, from: device.address) }
    }
    let long = scanning.filter { scan in
      let scanned = scan.since.duration(to: end)
      // A computer that slept meanwhile did not scan: the clock stands still then, and the time of day does not.
      let isAwake = (wall.timeIntervalSince(scan.wall) - scanned.inSeconds).magnitude < 1
      return scanned >= Survey.shortest && isAwake
    }
    return isSent ? [] : Set(long.map(\.adapter.id))
  }

  func propose(for room: Room, in ledger: AirLedger, on adapters: [AdapterID]) -> WalkProposal? {
    guard let began, let now = means.stack?.clock.now else { return nil }
    return WalkProposal(
      ledger.free(for: room.family.id), except: walk.taken, seen: seen, on: adapters, since: began, now: now)
  }

  /// Whether the scan has begun so recently that it may not have received every device.
  var isScanYoung: Bool {
    guard let began, let now = means.stack?.clock.now, pausedAt == nil, !hasEnded else { return false }
    return began.duration(to: now) < Self.window * 2
  }

  /// The devices on air whose labels end in these digits; nil while no adapter scans. While a run works, those that were
  /// received before it.
  func offers(_ digits: LabelDigits, for room: Room) async -> [Walk.Offer]? {
    guard pausedAt != nil || !scanning.isEmpty, let now = pausedAt ?? means.stack?.clock.now,
      let ledger = await air?.air
    else { return nil }
    return digits.offers(
      among: [ledger] + [earlier].compactMap(\.self), for: room, except: walk.taken, plus: walk.offset,
      now: now)
  }
}
