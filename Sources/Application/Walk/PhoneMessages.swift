package import Bluetooth
import FoundationEssentials
package import Model

/// What a phone can ask for. The list is closed: nothing in it is a password, a setting, an option or a file.
package enum PhoneAction: Hashable, Sendable {
  /// Make the room this person's.
  case go
  /// The text of a label, typed; or the texts of the codes in one photo, of which exactly one may be a label for the room.
  case label([String])
  /// The last hex digits of a label: the devices that match are the answer.
  case digits(String)
  /// The device that was just switched on, or that is clearly the nearest: it is the answer.
  case near
  /// Give the room this device, which the last answer to this person for this room named.
  case bind(BluetoothAddress)
  /// Provision the room, again.
  case provision
  case skip
  /// Take back this person's last step.
  case undo
  /// Have the room's device blink, or the one that is offered for it.
  case identify
  /// The answer to the question that is open.
  case answer(Bool)
}

/// A request of a phone, with the number that makes it happen once.
package struct PhoneRequest: Hashable, Sendable {
  /// Grows for each phone; from 1.
  package let number: Int
  package let room: RoomID
  package let action: PhoneAction

  /// The most bytes of a request: a label of the greatest length, each byte escaped.
  package static let maximumBytes = 6 * LabelText.maximumBytes + 1024
  /// JSON's integers are exact up to this number in a browser.
  package static let numbers = 1...9_007_199_254_740_991

  package init?(number: Int, room: RoomID, _ action: PhoneAction) {
    guard Self.numbers.contains(number), (1...256).contains(room.rawValue.utf8.count) else { return nil }
    (self.number, self.room, self.action) = (number, room, action)
  }

  /// Reads a JSON object: `{"n":17,"do":"label","room":"room-312","text":"C4…"}`. A key that its action does not have is
  /// refused.
  package init?(_ body: [UInt8]) {
    guard body.count <= Self.maximumBytes,
      let form = try? JSONDecoder().decode(Form.self, from: Data(body)), let action = form.action
    else { return nil }
    self.init(number: form.number, room: RoomID(rawValue: form.room), action)
  }
}

/// The members of a request.
private struct Form: Decodable {
  var number: Int
  var room: String
  var action: PhoneAction?

  private enum Key: String, CodingKey, CaseIterable {
    case n
    case verb = "do"
    case room, text, device, yes
  }

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
    let members = try decoder.container(keyedBy: Key.self)
    (number, room) = (
      try members.decode(Int.self, forKey: .n), try members.decode(String.self, forKey: .room)
    )
    let more: Key?
    switch try members.decode(String.self, forKey: .verb) {
    case "go": (action, more) = (.go, nil)
    case "label":
      let text = try members.decode(String.self, forKey: .text)
      (action, more) = (text.utf8.count <= LabelText.maximumBytes ? .label([text]) : nil, .text)
    case "digits":
      let text = try members.decode(String.self, forKey: .text)
      (action, more) = (text.utf8.count <= 32 ? .digits(text) : nil, .text)
    case "near": (action, more) = (.near, nil)
    case "bind":
      let device = try members.decode(String.self, forKey: .device)
      (action, more) = (device.utf8.count == 17 ? BluetoothAddress(device).map { .bind($0) } : nil, .device)
    case "provision": (action, more) = (.provision, nil)
    case "skip": (action, more) = (.skip, nil)
    case "undo": (action, more) = (.undo, nil)
    case "identify": (action, more) = (.identify, nil)
    case "answer": (action, more) = (.answer(try members.decode(Bool.self, forKey: .yes)), .yes)
    default: (action, more) = (nil, nil)
    }
    let expected = Set([Key.n, .verb, .room].map(\.rawValue) + [more].compactMap { $0?.rawValue })
    if Set(keys) != expected { action = nil }
  }
}
