package import Bluetooth
package import Model
import Reporting

/// What the phones show of a session over labels.
package struct PhoneState: Hashable, Sendable {
  package struct Person: Hashable, Sendable {
    /// The number of the phone: two persons may have one name.
    package let phone: Int
    package var name: String
    /// The room at which the person is.
    package var room: RoomID?
    /// The name of the room whose last step the person can take back.
    package var undo: String?
  }

  package struct Room: Hashable, Sendable {
    /// Where a room stands in the session.
    package enum State: String, Sendable {
      /// Nothing of it was done so far.
      case left
      /// Its label is taken; it waits for its run.
      case waiting
      case working
      case done, failed, skipped
      /// Its label is saved, and it is not provisioned here.
      case labelled
    }

    package let id: RoomID
    package let name: String
    package let floor: String?
    package var state: State
    /// Its device: an address or a name.
    package var device: String?
    /// What happened, and what to do.
    package var words: String?
    package var advice: String?
    /// Who did the last step.
    package var by: String?
    /// Whether only a product's label has what it needs.
    package let needsLabel: Bool
    package let canIdentify: Bool
  }

  package let building: String
  package let isSimulated: Bool
  package let provisions: Bool
  package var people: [Person]
  /// In the order of the walk.
  package var rooms: [Room]

  /// All of it in JSON, on one line.
  package var whole: String {
    JSONValue.values([
      "building": building.visible, "simulated": isSimulated, "provisions": provisions,
      "people": people.map(\.json), "rooms": rooms.map(\.json),
    ]).line
  }

  /// What has changed since an earlier state, in JSON on one line. The rooms and their order never change.
  package func change(since earlier: PhoneState) -> String {
    let changed = zip(earlier.rooms, rooms).filter { $0 != $1 }.map(\.1)
    return JSONValue.values(["rooms": changed.map(\.json), "people": people.map(\.json)]).line
  }
}

extension PhoneState.Person {
  fileprivate var json: JSONValue {
    .values(["phone": phone, "name": name.visible, "room": room, "undo": undo?.visible])
  }
}

extension PhoneState.Room {
  fileprivate var json: JSONValue {
    .values([
      "id": id, "name": name.visible, "floor": floor?.visible, "state": state.rawValue,
      "device": device?.visible,
      "words": words?.visibleLines, "advice": advice?.visibleLines, "by": by?.visible,
      "needsLabel": needsLabel,
      "canIdentify": canIdentify,
    ])
  }
}

/// The answer to a request of a phone.
package struct PhoneAnswer: Hashable, Sendable {
  /// A device that may be the room's; `bind` takes it.
  package struct Candidate: Hashable, Sendable {
    package let device: BluetoothAddress
    package let name: String?
    /// In dBm.
    package let rssi: Int?
    /// Why it is named.
    package let words: String
  }

  package var words: String
  /// Whether what was asked for was done, or is being done.
  package var isGood: Bool
  package var candidates: [Candidate] = []
  /// A question to be answered with yes or no before anything else.
  package var question: String?

  package init(_ words: String, isGood: Bool, candidates: [Candidate] = [], question: String? = nil) {
    (self.words, self.isGood, self.candidates, self.question) = (words, isGood, candidates, question)
  }

  /// It in JSON, on one line.
  /// - Parameter number: That of the request.
  package func line(_ number: Int) -> String {
    JSONValue.values([
      "n": number, "words": words.visibleLines, "good": isGood,
      "candidates": candidates.map { candidate -> JSONValue in
        .values([
          "device": candidate.device.description, "name": candidate.name?.visible, "rssi": candidate.rssi,
          "words": candidate.words.visible,
        ])
      },
      "question": question?.visibleLines,
    ]).line
  }
}

/// The session over labels as phones see it.
package protocol PhoneSession: Sendable {
  /// Does what a person asks for. It returns when that is done or, for a room that waits for its run, when it is taken.
  func act(_ action: PhoneAction, in room: RoomID, by person: Walk.Person) async -> PhoneAnswer

  /// The state now, and after each change; a reader that is slow gets the newest. It ends with the session.
  func states() async -> AsyncStream<PhoneState>
}

extension PhoneState {
  /// What starts a room again on a phone, for advice.
  package static let retry = "tap “Again”"
}
