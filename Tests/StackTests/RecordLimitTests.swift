import Bluetooth
import EventLoop
import Foundation
import Journal
import Model
import Session
import Synchronization
import Testing

/// The limit of the record's growth, at the place where every event of a run gets its number.
@Suite("the record grows within its limit, and keeps what promises need") struct RecordLimitTests {
  /// What comes without end.
  enum Source: String, CaseIterable, Sendable {
    case scanWindows, strangers, identities, unclaimed, statuses, adapters, faults, links, foreignScans, waits

    func fact(_ number: Int) -> [Fact] {
      let adapter = AdapterID(BluetoothAddress(rawValue: 1))
      let address = BluetoothAddress(rawValue: 0xC47C_8D10_0000 + UInt64(number))
      let text = "text \(number) " + String(repeating: "x", count: 4_000)
      switch self {
      case .scanWindows:
        let window = ScanPeriod(adapter: adapter, purpose: .sighting)
        return [.scanStarted(window), .scanStopped(window)]
      case .strangers:
        return [.deviceSighted(.init(address: address, adapter: adapter, profile: "robo-sensor"))]
      case .identities:
        return [
          .deviceSighted(
            .init(
              address: BluetoothAddress(rawValue: 77), adapter: adapter, profile: "robo-sensor", rssi: -60,
              identity: DeviceIdentity(["minor \(number % 60_000)"])))
        ]
      case .unclaimed:
        return [.deviceUnclaimed(.init(address: address, adapter: adapter, profile: "robo-sensor"))]
      case .statuses:
        return [.statusReceived(StatusReceived(room: "room", attempt: 1, text: text, meaning: .other))]
      case .adapters:
        return [.adapterSelected(.init(adapter: AdapterID(address), name: "hci\(number)", stack: text))]
      case .faults: return [.adapterFaulted(.init(adapter: adapter, fault: .refusesToScan, stackText: text))]
      case .links: return [.linkReleased(.init(address: address, adapter: adapter))]
      case .foreignScans: return [.foreignScanDetected(.init(adapter: adapter, clients: [text]))]
      case .waits: return [.adapterAwaited(.init(problem: .absent, adapter: "hci\(number)", seconds: 1))]
      }
    }
  }

  private static let seconds = 60
  private static let perSecond = 500
  private static let device = BluetoothAddress(rawValue: 0xC47C_8D00_0001)

  /// The events on record after a minute of a source, beside the work on one room.
  private static func events(of source: Source) async throws -> [RunEvent] {
    try await LoopExecutor.runInVirtualTime {
      let recorder = Memory()
      let clock = SystemClock()
      let coordinator = Coordinator(
        clock: clock, wall: { Date(timeIntervalSince1970: 1_795_251_600) }, recorder: recorder)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await coordinator.run() }
        coordinator.note(
          .runStarted(
            RunStarted(
              run: "r", building: "b", buildingName: "B", toolVersion: "1", host: "h", manifestPath: "b.yaml",
              manifestSHA256: "00", simulated: false,
              rooms: [
                PlannedRoom(room: "room", name: "Room", profile: "robo-sensor", address: device, settings: [])
              ])))
        for second in 0..<seconds {
          for number in 0..<perSecond {
            for fact in source.fact(second * perSecond + number) { coordinator.note(fact) }
          }
          for fact in work(second) { coordinator.note(fact) }
          try? await clock.sleep(for: .seconds(1))
        }
        coordinator.note(.runFinished(RunFinished(outcome: .complete)))
        coordinator.finish()
      }
      return recorder.events.withLock { $0 }
    }
  }

  /// What promises need of one room.
  private static func work(_ number: Int) -> [Fact] {
    let adapter = AdapterID(BluetoothAddress(rawValue: 1))
    return [
      .deviceSighted(
        .init(
          address: device, adapter: adapter, profile: "robo-sensor",
          identity: DeviceIdentity(["minor \(number)"]))),
      .bindingCommitted(BindingCommitted(room: "room", address: device, basis: .any)),
      .attemptStarted(AttemptStarted(room: "room", address: device, adapter: adapter, number: number)),
      .statusReceived(StatusReceived(room: "room", attempt: number, text: "saved", meaning: .saved)),
      .attemptEnded(AttemptEnded(room: "room", number: number, seconds: 1)),
    ]
  }

  @Test("a source without end", arguments: Source.allCases)
  func bounded(_ source: Source) async throws {
    let events = try await Self.events(of: source)
    var lines = JournalLines()
    let bytes = events.reduce(0) { $0 + lines.line($1).count + 1 }
    #expect(bytes < 200_000 + 20_000 * Self.seconds, "\(bytes) bytes in \(Self.seconds) s")
    #expect(events.map(\.sequence) == Array(1...events.count))

    let needed = (0..<Self.seconds).flatMap { Self.work($0) }
    let recorded = Set(events.map(\.fact))
    #expect(needed.allSatisfy(recorded.contains))

    // What is left out is counted, and the last count stands before the end.
    var omitted: [Fact.Kind: Int] = [:]
    for case .eventsOmitted(let fact) in events.map(\.fact) {
      for count in fact.omitted { omitted[count.kind, default: 0] += count.count }
    }
    let sent = (0..<Self.seconds * Self.perSecond).flatMap { source.fact($0) }.map(\.kind)
    for kind in Set(sent) {
      let kept = events.count { $0.fact.kind == kind } - needed.count { $0.kind == kind }
      #expect(kept + omitted[kind, default: 0] == sent.count { $0 == kind })
    }
    #expect(!omitted.isEmpty)
    #expect(events.last?.fact.kind == "run_finished")
  }

  private final class Memory: RunRecorder {
    let events = Mutex<[RunEvent]>([])

    func record(_ batch: [RunEvent]) async throws(RecordFailure) { events.withLock { $0 += batch } }
  }
}
