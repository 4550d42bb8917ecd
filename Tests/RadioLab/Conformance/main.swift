// Checks BlueZ's `Central` with the real BlueZ on this machine's system bus: `bluez-conformance [NAME…]` runs
// every check, or those whose description contains one of the names. It runs in the radio lab's guest; see
// `LabWorld`.

import BlueZ
import Bluetooth
import CentralConformance
import DBus
import EventLoop
import Glibc

/// The result of one check.
struct Finding: Encodable {
  var check: String
  /// Nil when it passed.
  var failure: String?
  /// The time of the check in seconds.
  var seconds: Double
}

struct Plan: Encodable {
  var checks: [String]
}

func examine(_ check: ConformanceCheck, in world: LabWorld) async -> Finding {
  let clock = SystemClock()
  await world.begin()
  let began = clock.now
  var failure: String?
  do {
    let central = try await BlueZCentral.open(bus: .system(nil), clock: clock)
    do {
      try await check.run(ConformanceSubject(central: central, world: world, clock: clock))
    } catch {
      failure = String(describing: error)
    }
    await central.close()
  } catch {
    failure = "cannot begin: \(error)"
  }
  return Finding(
    check: check.description, failure: failure,
    seconds: Double((clock.now.sinceZero - began.sinceZero) / .milliseconds(1)) / 1000)
}

let names = CommandLine.arguments.dropFirst()
let checks = (ConformanceCheck.all + ConformanceCheck.pairing).filter { check in
  names.isEmpty || names.contains { check.description.contains($0) }
}
let world = LabWorld()
world.readReplies()
say(Plan(checks: checks.map(\.description)))
for check in checks { say(await examine(check, in: world)) }
// The thread that waits for replies holds the lock of stdin, for which `exit` of glibc 2.41 waits.
_exit(0)
