import Bluetooth
import Families
import Model
import VirtualBuilding

/// How long things may take at most. None of these is a promise of speed (`make bench` has those): what exceeds one is
/// stuck, or forgotten.
struct Bounds {
  let trial: Trial
  let rooms: [Room]

  /// Conversations that can go on at the same time at least, since an adapter calls one after the other.
  private var width: Int {
    max(1, min(trial.parallel ?? .max, trial.scenario.adapters.count))
  }

  /// What a room costs its adapter when nothing is wrong with it: to be heard, called, talked to and let go.
  private func cost(of room: Room) -> Duration {
    let profile = DeviceProfiles[room.profile]
    let usual = profile?.timeouts(for: room.settings) ?? room.timeouts
    return profile?.searchesItself == true ? .seconds(20) : max(.seconds(8), usual.connect - .seconds(7))
  }

  /// The longest that a device may wait that is heard, when nothing is wrong with any.
  var wait: Duration {
    rooms.reduce(.seconds(60)) { $0 + cost(of: $1) / width }
  }

  /// The longest run when nothing is wrong.
  var calmRun: Duration {
    rooms.reduce(.seconds(180)) { $0 + cost(of: $1) * 2 }
  }

  /// The longest run, whatever is wrong: every room uses up every attempt, one after the other, with every timeout.
  var run: Duration {
    rooms.reduce(.seconds(900)) { sum, room in
      let timeouts = room.timeouts
      let writes = timeouts.write * room.settings.count + timeouts.read * 8
      let attempt =
        timeouts.search * 3 + timeouts.connect + timeouts.discover + timeouts.ready + writes + timeouts.save
        + timeouts.verify * 2 + .seconds(60)
      // The adapter may go away under it, which is not charged.
      return sum + attempt * (room.retries + 6)
    }
  }
}
