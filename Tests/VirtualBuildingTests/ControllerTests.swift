import Bluetooth
import Synchronization
import Testing
import VirtualBuilding
import VirtualCentral

@Suite("The advertisements that a controller reports")
struct ControllerTests {
  private static let three: [[ScheduledFault]] = [[], [], []]

  /// The reports of an adapter within a time, in order.
  private static func reports(
    in building: Building, for duration: Duration, meanwhile: @escaping @Sendable () async throws -> Void = {}
  ) async throws -> [Advertisement] {
    let log = Log()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        _ = try await building.within(duration) {
          try await building.central.scan(on: Building.adapter) { (stream) async throws(CentralError) in
            for try await report in stream { log.reports.withLock { $0.append(report) } }
          }
        }
      }
      group.addTask(operation: meanwhile)
      try await group.waitForAll()
    }
    return log.reports.withLock { $0 }
  }

  private final class Log: Sendable {
    let reports = Mutex<[Advertisement]>([])
  }

  @Test("a controller reports each device once per scan, and again in the next one")
  func oncePerScan() async throws {
    try await Building.run(Self.three) { building in
      for _ in 0..<4 {
        let reports = try await Self.reports(in: building, for: .seconds(4))
        #expect(reports.map(\.address).sorted() == (1...3).map { Building.sensor($0) })
      }
    }
  }

  @Test("a controller reports a device again every 10.24 s, when the next kernel scan starts")
  func kernelScans() async throws {
    try await Building.run { building in
      let reports = try await Self.reports(in: building, for: .seconds(30))
      let scans = reports.map { Int($0.receivedAt.sinceZero / .milliseconds(10240)) }
      #expect(scans == [0, 1, 2])
    }
  }

  @Test("a restart of the scan repeats all reports, and nothing is received during it")
  func restarted() async throws {
    try await Building.run(Self.three) { building in
      let reports = try await Self.reports(in: building, for: .seconds(8)) {
        try await building.clock.sleep(for: .seconds(4))
        try await building.world.restartScan(on: Building.adapter.address)
      }
      let early = reports.filter { $0.receivedAt.sinceZero < .seconds(4) }
      let late = reports.filter { $0.receivedAt.sinceZero >= .seconds(4.09) }
      #expect(early.count == 3 && late.count == 3 && reports.count == 6)
    }
  }

  @Test("another type of advertisement is reported in the same scan, other data of the same type is not")
  func types() async throws {
    try await Building.run(change: {
      $0.sensors[0].family = Turncoat.family
    }) { building in
      let reports = try await Self.reports(in: building, for: .seconds(6))
      // Its content changes every second, and its type in the fourth.
      #expect(reports.map { $0.manufacturerData[1] } == [[0], [3]])
    }
  }

  @Test("a repeating controller reports changes at once, and unchanged advertisements once per interval")
  func repeating() async throws {
    var radio = RadioParameters()
    radio.duplicates = .every(.milliseconds(500))
    try await Building.run(radio: radio, change: { $0.sensors[0].family = Turncoat.family }) { building in
      let reports = try await Self.reports(in: building, for: .seconds(6))
      #expect((11...14).contains(reports.count))
      #expect(Set(reports.compactMap { $0.manufacturerData[1]?.first }) == [0, 1, 2, 3])
    }
  }
}
