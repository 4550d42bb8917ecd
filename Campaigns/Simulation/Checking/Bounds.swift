import Bluetooth
import Model
import VirtualBuilding

/// Upper bounds for durations. They do not measure speed (`make bench` does): a run that exceeds one is
/// stuck.
struct Bounds {
  let testCase: TestCase
  let rooms: [Room]

  /// The least number of GATT sessions at the same time, since an adapter makes one connection after the
  /// other.
  private var width: Int {
    max(1, min(testCase.parallel ?? .max, testCase.scenario.adapters.count))
  }

  /// The adapter time of a healthy room: sighting, connection, session and disconnection.
  private func cost(of room: Room) -> Duration {
    let usual = room.family.timeouts(for: room.settings)
    // A session makes a dozen calls, one after the other.
    let network = testCase.scenario.hosts.map { ($0.delay + $0.jitter) * 2 * 12 }.max() ?? .zero
    if room.family.lifecycle.isPerAction { return .seconds(20) }
    // A device that proves itself over the link keeps it until it is done.
    let save = room.family.proof == .status ? usual.save : .zero
    return max(.seconds(8), usual.connect - .seconds(7)) + save + network
  }

  /// The longest time from a sighting to an attempt, when all devices are healthy.
  var wait: Duration {
    rooms.reduce(.seconds(60)) { $0 + cost(of: $1) / width }
  }

  /// The longest run without faults.
  var calmRun: Duration {
    rooms.reduce(.seconds(180)) { $0 + cost(of: $1) * 2 }
  }

  /// The longest run with any faults: every room uses up every attempt, one after the other, with every
  /// timeout.
  var run: Duration {
    rooms.reduce(.seconds(900)) { sum, room in
      let timeouts = room.timeouts
      let writes = timeouts.write * room.settings.count + timeouts.read * 8
      let attempt =
        timeouts.search * 3 + timeouts.connect + timeouts.discover + timeouts.ready + writes + timeouts.save
        + timeouts.verify * 2 + .seconds(60)
      // A lost adapter ends attempts that are not charged.
      return sum + attempt * (room.retries + 6)
    }
  }
}
