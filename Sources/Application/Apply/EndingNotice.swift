import Bluetooth
import Model
import Reporting

/// The outcome of a room, as JSON for the command of `apply --notify`.
struct EndingNotice: Codable, Sendable {
  var schema = Self.format
  var run: String
  var building: String
  var room: String
  var name: String
  var identity: DeviceIdentity?
  var address: BluetoothAddress?
  var outcome: Outcome
  var reason: FailureReason.Code?
  var sentence: String?
  var advice: String?
  var ended: Int
  var rooms: Int

  /// Version of the JSON form.
  static let format = "roboprov/notify/1"

  /// The outcome of a room in `report`, which already includes the event; nil for a room that the run leaves
  /// out.
  init?(_ fact: RoomFinished, in report: RunReport) {
    guard let run = report.run, let room = report[fact.room], !room.isExcluded else { return nil }
    self.run = run.run
    building = run.building
    self.room = fact.room.rawValue
    name = room.planned.name
    identity = room.identity
    address = fact.address
    outcome = fact.outcome
    reason = fact.reason?.code
    let words = Explanation(of: room)
    (sentence, advice) = (words?.sentence, words?.advice)
    ended = report.tally.ended
    rooms = report.selected.count
  }
}

extension EndingNotice: RecordedObject {
  package static let definition = "notice"
  package static let about = "A room that got its outcome."
  package static let fields = [
    "schema": "Name and version of the format.",
    "run": "The run's id.",
    "building": "The building's stable id.",
    "room": "The room's stable id.",
    "name": "Its name for people.",
    "identity": "The identity that it is to have; absent for families without one.",
    "address": "Its device, if one was bound or named.",
    "outcome": "How it ended.",
    "reason": "Why it is not done; absent when it is.",
    "sentence": "The same for people; absent when it is done.",
    "advice": "What to do next, for people; absent when it is done.",
    "ended": "How many rooms have their outcome.",
    "rooms": "How many rooms the run works on.",
  ]
}
