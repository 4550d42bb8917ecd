import Bluetooth
import Engine
import EventLoop
import Journal
import Model
import Reporting
import Session
import Waiting

extension LabelSession {
  /// Has a device blink.
  func identify(_ address: BluetoothAddress) async throws -> PhoneAnswer {
    guard let stack = means.stack else { return PhoneAnswer(Walk.Message.notReceiving.words, isGood: false) }
    let link = DeviceLink(
      stack: stack, adapters: means.adapters, scanTime: means.scanTime, building: source.building)
    do {
      try await link.identify(address)
      return PhoneAnswer("Asked \(address) to blink", isGood: true)
    } catch let failure as CommandFailure {
      return PhoneAnswer(failure.message + (failure.advice.map { "\n" + $0 } ?? ""), isGood: false)
    } catch ExitStatus.interrupted {
      interrupt()
      return PhoneAnswer(Self.hasEndedWords, isGood: false)
    }
  }

  /// Provisions the rooms of a person as `apply` does, as a run of its own.
  func provision(_ rooms: [RoomID], for person: Walk.Person) async throws {
    guard let stack = means.stack, let means = means.provisioning else { return }
    let keeping = means.keeping.operated(by: person)
    let run = RunIdentity(operatedBy: keeping.operatedBy)
    let scope = WorkScope(
      RoomSelection(only: Set(rooms)), RecordPermissions(rebind: released.intersection(rooms)))
    let lock =
      stack.isSimulated ? nil : try Claims.building(source.building.id, in: keeping.reports, for: run)
    defer { lock?.release() }
    let prepared: PreparedRun
    do {
      prepared = try PreparedRun(
        source, scope, siteKey: means.siteKey, in: keeping.reports, isRehearsal: stack.isSimulated)
    } catch let failure as CommandFailure where failure.status == .manifest {
      if rooms.count > 1 {
        // What contradicts one room stops no other.
        lock?.release()
        for room in rooms where stopped.peeked == nil { try await provision([room], for: person) }
        return
      }
      fail(rooms[0], failure, by: person)
      return await say("✗ \(failure.message)\n\(failure.advice ?? "")", person)
    }
    var request = prepared.request(
      as: run, manifest: means.manifest, isSimulated: stack.isSimulated, self.means.adapters,
      scanTime: self.means.scanTime, parallel: rooms.count > 1 ? nil : 1)
    request.surveyed = await surveyed(for: rooms)
    let (finished, finish) = AsyncStream.makeStream(of: RoomReport.self)
    let display = RoomWatch(means.display(stack.clock), finish)
    let execution = RunExecution(prepared: prepared, run: run, stack: stack, keeping: keeping)
    let (requests, ask) = AsyncStream.makeStream(of: OperatorRequested.Request.self)
    var report: RunReport?
    let result = try await withThrowingTaskGroup(of: Void.self) { [stopped] group in
      group.addTask { if await stopped.value() != nil { ask.yield(.stop) } }
      group.addTask { for await room in finished { await self.take(room, by: person) } }
      defer { group.cancelAll() }
      return try await execution.carryOut(
        request, asking: .init(requests: requests), on: display, stopped: stopped
      ) { made, _, _ in
        report = made
      }
    }
    if stopped.peeked != nil { interrupt() }
    for room in rooms {
      guard let ended = report?[room] else { continue }
      take(ended, by: person)
      await tell(.ended(ended, next: walk.current?.name, person))
    }
    _ = try result.status(adapter: self.means.adapters.names.first)
  }

  func fail(_ room: RoomID, _ failure: CommandFailure, by person: Walk.Person) {
    working.remove(room)
    walk.ended(room, isDone: false, by: person)
    phones.notes[room] = .init(failure.message, failure.advice)
  }

  /// Takes the result of a room, during the run and after it.
  private func take(_ report: RoomReport, by person: Walk.Person) {
    let room = report.planned.room
    let isDone = report.outcome.isSuccess
    if working.remove(room) != nil { walk.ended(room, isDone: isDone, by: person) }
    let words = Explanation(of: report, retry: person == .terminal ? "press r" : PhoneState.retry)
    phones.notes[room] =
      isDone
      ? .init("\(report.planned.name) done" + (report.rssi.map { ", \($0) dBm" } ?? ""))
      : .init(words?.sentence ?? report.outcome.words, words?.advice)
    publish()
  }
}

/// Shows a run, and reports which rooms have ended.
private struct RoomWatch: RunDisplay {
  private let display: any RunDisplay
  private let report = Lock(RunReport())
  private let finish: AsyncStream<RoomReport>.Continuation

  init(_ display: any RunDisplay, _ finish: AsyncStream<RoomReport>.Continuation) {
    (self.display, self.finish) = (display, finish)
  }

  func show(_ event: RunEvent) {
    display.show(event)
    let ended = report.withLock { report in
      report.apply(event)
      return if case .roomFinished(let fact) = event.fact { report[fact.room] } else { nil as RoomReport? }
    }
    if let ended { finish.yield(ended) }
  }

  func noteStop() { display.noteStop() }

  func running<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
    defer { finish.finish() }
    return await display.running(body)
  }
}

extension RecordKeeping {
  /// The same, kept for a person with a phone: the record names that person.
  fileprivate func operated(by person: Walk.Person) -> RecordKeeping {
    guard person != .terminal else { return self }
    return RecordKeeping(
      reports: reports, mirror: mirror, operatedBy: person.name, reportsOption: reportsOption)
  }
}
