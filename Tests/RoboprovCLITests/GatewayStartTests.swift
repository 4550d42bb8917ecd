import Bluetooth
import Foundation
import Testing
import VirtualBuilding

/// Starts of `scan` with three gateways that fail at random moments: before, during and after the bus has answered.
@Suite("no gateway makes a command wait for ever", .timeLimit(.minutes(60))) struct GatewayStartTests {
  private static let startsEach = 5

  /// `make test-starts` sets the number of starts and the first seed.
  static let seeds: Range<Int> = {
    let first = number("START_SEED", otherwise: 1)
    return first..<(first + (number("STARTS", otherwise: 20) + startsEach - 1) / startsEach)
  }()

  private static func number(_ variable: String, otherwise: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? otherwise
  }

  /// What a gateway's ssh does, as a shell script.
  private static func failure(_ generator: inout SeededGenerator, bus: String) -> String {
    func pause(_ longest: Int, _ generator: inout SeededGenerator) -> String {
      "sleep \(Double(Int.random(in: 0...longest, using: &generator)) / 1000)"
    }
    let (first, second, third) = (
      pause(1000, &generator), pause(300, &generator), pause(300, &generator)
    )
    let refusal = "echo 'ssh: Could not resolve hostname nowhere: Name or service not known' >&2; exit 255"
    let agreement = "printf 'OK 0123456789abcdef0123456789abcdef\\r\\n'"
    let bridge = "systemd-stdio-bridge --bus-path='\(bus)'"
    let ways = [
      refusal, "\(second); \(refusal)", "\(first); \(refusal)", "exec <&- >&-; \(first)", "\(first)",
      "echo Welcome; \(first)", "\(second); echo Welcome; exec cat", "kill -9 $$",
      // It ends while libdbus authenticates, and while it waits for the name.
      "\(second); \(agreement); \(third)",
      "\(second); \(agreement); \(third); printf 'AGREE_UNIX_FD\\r\\n'; \(second)",
      "\(second); exec timeout -s KILL \(Int.random(in: 1...500, using: &generator))e-3 \(bridge)",
      "\(first); exec \(bridge)",
    ]
    return ways[Int.random(in: ways.indices, using: &generator)]
  }

  @Test(
    "every start ends, with a scan on this computer's adapter alone, and leaves no file", arguments: seeds)
  func starts(seed: Int) async throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let adapter = AdapterScenario(address: .init(rawValue: 0x0200_0100_0000 + UInt64(seed)), name: "hci0")
    let address = (0..<Self.startsEach).map { _ in (0..<3).map { _ in generator.next() } }
    try await ServedBuilding.serve([ServedBuilding.sensor(1)], adapter: adapter) { building in
      try await Site.use { site in
        try FileManager.default.createDirectory(
          at: site.directory.appending(path: "tmp"), withIntermediateDirectories: false)
        try site.writeProgram("bin/ssh", "while [ \"$1\" != -- ]; do shift; done; . \"./$2\"")
        for seeds in address {
          for (host, seed) in seeds.enumerated() {
            var generator = SeededGenerator(seed: seed)
            try site.write("gw\(host)", Self.failure(&generator, bus: building.bus))
          }
          try await site.start(
            ["scan", "--scan-time", "1"] + (0..<3).flatMap { ["--host", "floor-\($0)=gw\($0)"] },
            bus: building.bus,
            environment: [
              "PATH": "\(site.directory.path)/bin:/usr/bin:/bin", "TMPDIR": "\(site.directory.path)/tmp",
            ]
          ).ended(within: .seconds(200)).expect(0, errors: "Scanning on hci0 for 1 s")
          #expect(
            try FileManager.default.contentsOfDirectory(atPath: site.directory.path + "/tmp").isEmpty)
        }
      }
    }
  }
}
