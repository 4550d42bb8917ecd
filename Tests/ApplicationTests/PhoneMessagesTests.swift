import Bluetooth
import Model
import Testing

@testable import Application

@Suite("What a phone may ask for")
struct PhoneMessagesTests {
  private static let device = BluetoothAddress(rawValue: 0xC47C_8D00_0001)

  @Test(
    "an action of the list, with its members and no other",
    arguments: [
      (#"{"n":1,"do":"go","room":"a"}"#, PhoneAction.go), (#"{"n":1,"do":"near","room":"a"}"#, .near),
      (#"{"n":1,"do":"label","room":"a","text":"C4"}"#, .label(["C4"])),
      (#"{"n":1,"do":"digits","room":"a","text":"A1F3"}"#, .digits("A1F3")),
      (#"{"n":1,"do":"bind","room":"a","device":"C4:7C:8D:00:00:01"}"#, .bind(device)),
      (#"{"n":1,"do":"provision","room":"a"}"#, .provision), (#"{"n":1,"do":"skip","room":"a"}"#, .skip),
      (#"{"n":1,"do":"undo","room":"a"}"#, .undo), (#"{"n":1,"do":"identify","room":"a"}"#, .identify),
      (#"{"n":1,"do":"answer","room":"a","yes":true}"#, .answer(true)),
      (#"{"n":1,"do":"answer","room":"a","yes":false}"#, .answer(false)),
      // The largest number that a browser has exactly.
      (#"{"n":9007199254740991,"do":"go","room":"a"}"#, .go),
    ])
  func actions(body: String, action: PhoneAction) {
    let request = PhoneRequest(Array(body.utf8))
    #expect(request?.action == action && request?.room == "a")
  }

  @Test(
    "everything else is refused",
    arguments: [
      "", "{}", "[]", "7", #"{"n":1,"do":"go"}"#, #"{"n":1,"room":"a"}"#, #"{"do":"go","room":"a"}"#,
      #"{"n":0,"do":"go","room":"a"}"#, #"{"n":-1,"do":"go","room":"a"}"#,
      #"{"n":9007199254740992,"do":"go","room":"a"}"#, #"{"n":1e400,"do":"go","room":"a"}"#,
      #"{"n":1.5,"do":"go","room":"a"}"#, #"{"n":"1","do":"go","room":"a"}"#, #"{"n":1,"do":"go","room":""}"#,
      #"{"n":1,"do":"go","room":7}"#, #"{"n":1,"do":"Go","room":"a"}"#, #"{"n":1,"do":"apply","room":"a"}"#,
      #"{"n":1,"do":"go","room":"a","text":"x"}"#, #"{"n":1,"do":"go","room":"a","force":true}"#,
      #"{"n":1,"do":"label","room":"a"}"#, #"{"n":1,"do":"label","room":"a","text":"x","wifi":"x"}"#,
      #"{"n":1,"do":"bind","room":"a","device":"C47C8D000001"}"#,
      #"{"n":1,"do":"bind","room":"a","device":"C4:7C:8D:00:00:0G"}"#,
      #"{"n":1,"do":"answer","room":"a","yes":1}"#, #"{"n":1,"do":"answer","room":"a","yes":"true"}"#,
      #"{"n":1,"do":"digits","room":"a","text":"\#(String(repeating: "A", count: 33))"}"#,
      #"{"n":1,"do":"label","room":"a","text":"\#(String(repeating: "A", count: 4297))"}"#,
      #"{"n":1,"do":"go","room":"\#(String(repeating: "a", count: 257))"}"#,
    ])
  func refused(body: String) {
    #expect(PhoneRequest(Array(body.utf8)) == nil)
  }

  @Test("a request that is too long, or nested too deeply, is refused")
  func size() {
    let long = #"{"n":1,"do":"go","room":"a"}"# + String(repeating: " ", count: PhoneRequest.maximumBytes)
    #expect(PhoneRequest(Array(long.utf8)) == nil)
    #expect(PhoneRequest(Array(repeating: UInt8(ascii: "["), count: 20_000)) == nil)
  }

  @Test("a state is one line of JSON, and a change has only the rooms that have changed")
  func state() {
    func room(_ name: String, _ state: PhoneState.Room.State) -> PhoneState.Room {
      .init(
        id: RoomID(rawValue: name.lowercased()), name: name, floor: nil, state: state, device: nil,
        words: "two\nlines", advice: nil, by: nil, needsLabel: false, canIdentify: false)
    }
    let before = PhoneState(
      building: "B\u{202E}", isSimulated: false, provisions: true, people: [],
      rooms: [room("A", .left), room("B", .left)])
    var after = before
    after.rooms[1].state = .working
    after.people = [.init(phone: 1, name: "Anna", room: "b", undo: "A\u{202E}")]
    #expect(!before.whole.contains("\n") && !before.whole.contains("\u{202E}"))
    #expect(
      after.change(since: before)
        == #"{"rooms":[{"id":"b","name":"B","floor":null,"state":"working","device":null,"words":"two\nlines","advice":null,"by":null,"needsLabel":false,"canIdentify":false}],"people":[{"phone":1,"name":"Anna","room":"b","undo":"A\\u{202E}"}]}"#
    )
  }
}
