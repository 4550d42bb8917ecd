import Bluetooth
import Engine
import Families
import Model
import Testing

@testable import Application

@Suite("Capturing labels")
struct CaptureTests {
  private static func address(_ number: UInt64) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0xC47C_8D00_0000 + number)
  }

  private static func device(_ number: UInt64) -> DeviceReference { .address(address(number)) }

  private static func label(_ number: UInt64) -> String { address(number).description }

  /// A building of rooms A, B, C …; some have an address.
  private static func building(_ count: Int = 6, known: [String: UInt64] = [:]) -> Building {
    let rooms = "ABCDEFGHIJ".prefix(count).map { letter in
      Room(
        id: RoomID(rawValue: letter.lowercased()), name: String(letter), family: .roboSensor,
        address: known[String(letter)].map(address), settings: [:], timeouts: StageTimeouts(), retries: 0)
    }
    return Building(id: "b", name: "B", assignment: .later, rooms: rooms, families: FamilyCatalogue.builtIn)
  }

  /// A capture of all rooms that records what it writes.
  private struct Dialogue {
    var capture: Walk
    var written: [RoomID: DeviceReference] = [:]
    var onAir: Set<BluetoothAddress>?

    init(_ building: Building, onAir: [UInt64]? = nil) {
      capture = Walk(building.rooms, of: building, provisions: false)
      self.onAir = onAir.map { Set($0.map(CaptureTests.address)) }
    }

    /// Reads a line and performs the resulting action.
    @discardableResult
    mutating func read(_ line: String) -> Walk.Action {
      let action = capture.read(line)
      switch action {
      case .save(let assignments):
        for assignment in assignments { written[assignment.room] = assignment.device }
        let received = onAir
        capture.saved(received.map { received in { $0.address.map(received.contains) ?? false } })
      case .undo: capture.undone()
      default: break
      }
      return action
    }

    var asked: String? {
      if case .label(let stop, _, _) = capture.prompt { stop.name } else { nil }
    }

    var proposal: AddressOffset? {
      if case .offset(let proposal) = capture.prompt { proposal } else { nil }
    }
  }

  @Test("labels are asked for room by room until each room has an address")
  func rooms() {
    var dialogue = Dialogue(Self.building(2))
    #expect(dialogue.capture.prompt.words == "[1/2] A")
    dialogue.read("MAC:C47C8D000001;SN:1")
    #expect(dialogue.asked == "B")
    dialogue.read("c4-7c-8d-00-00-02")
    #expect(dialogue.capture.prompt == .nothing)
    #expect(dialogue.written == ["a": Self.device(1), "b": Self.device(2)])
    #expect(dialogue.capture.captured.map(\.name) == ["A", "B"])
    #expect(dialogue.capture.missing.isEmpty)
  }

  @Test("an invalid label or one of another room is refused, and the same room is asked for again")
  func refused() {
    var dialogue = Dialogue(Self.building(3, known: ["C": 3]))
    #expect(dialogue.read("hello") == .show(.badLabel(.noAddress(digits: nil))))
    #expect(dialogue.read(Self.label(3)) == .show(.wrongLabel(Self.device(3), room: "C")))
    dialogue.read(Self.label(1))
    #expect(dialogue.read(Self.label(1)) == .show(.wrongLabel(Self.device(1), room: "A")))
    #expect(dialogue.asked == "B")
    #expect(dialogue.read(" ") == .nothing)
    #expect(dialogue.written == ["a": Self.device(1)])
  }

  @Test(
    "a code for a network and a barcode are refused, and a barcode's digits are an address once its block is known"
  )
  func codes() {
    var dialogue = Dialogue(Self.building(2))
    #expect(dialogue.read("WIFI:T:WPA;S:Office;P:a1b2c3d4e5f6;;") == .show(.badLabel(.wifi)))
    #expect(dialogue.read("036000291452") == .show(.badLabel(.barcode)))
    #expect(dialogue.written.isEmpty && dialogue.asked == "A")
    dialogue.read("03:60:00:29:14:52")
    dialogue.read("036000291453")
    #expect(dialogue.written["b"]?.description == "03:60:00:29:14:53")
  }

  @Test("a device with a changing address is warned of, with its name as the way out")
  func changingAddress() throws {
    let adapter = AdapterID(BluetoothAddress(rawValue: 1))
    func warning(_ name: String?, isChanging: Bool) throws -> String {
      var air = AirLedger(families: .builtIn)
      var advertisement = Advertisement(
        address: Self.address(1), adapter: adapter, receivedAt: MonotonicInstant(sinceZero: .zero),
        localName: name,
        serviceUUIDs: [DeviceFamily.espIDF.service])
      advertisement.hasChangingAddress = isChanging
      _ = air.receive(advertisement)
      return LabelWords.changingAddress(of: try #require(air[Self.address(1)]))
    }
    #expect(try warning("PROV_1", isChanging: false).isEmpty)
    #expect(try warning("PROV_1", isChanging: true).contains("`device: \"PROV_1\"`"))
    #expect(try warning(nil, isChanging: true).contains("`device: NAME`"))
    #expect(try warning("\u{202E}", isChanging: true).contains("`device: NAME`"))
  }

  @Test("a label can be read again for its own room")
  func again() {
    var dialogue = Dialogue(Self.building(1, known: ["A": 1]))
    dialogue.read(Self.label(1))
    #expect(dialogue.written == ["a": Self.device(1)])
    #expect(dialogue.capture.prompt == .nothing)
  }

  @Test("a label that was not saved is asked for again, and its address stays free")
  func notSaved() {
    let building = Self.building(2)
    var capture = Walk(building.rooms, of: building, provisions: false)
    guard case .save = capture.read(Self.label(1)) else { return #expect(Bool(false)) }
    capture.notSaved()
    #expect(capture.prompt.words == "[1/2] A")
    #expect(capture.captured.isEmpty && capture.missing.count == 2)
    _ = capture.read("s")
    guard case .save = capture.read(Self.label(1)) else { return #expect(Bool(false)) }
  }

  @Test(
    "each undo reverts one step, frees the label's address and restores the room's previous address"
  )
  func undo() {
    var dialogue = Dialogue(Self.building(3, known: ["A": 7]))
    #expect(dialogue.read("u") == .show(.nothingToUndo))
    dialogue.read(Self.label(1))
    #expect(dialogue.read("s") == .show(.skipped("B")))
    #expect(dialogue.asked == "C")
    #expect(dialogue.read("u") == .show(.back("B")))
    #expect(dialogue.read(" U ") == .undo("A"))
    #expect(dialogue.asked == "A")
    dialogue.read("s")
    #expect(dialogue.read(Self.label(7)) == .show(.wrongLabel(Self.device(7), room: "A")))
    dialogue.read(Self.label(1))
    #expect(dialogue.written["b"] == Self.device(1))
  }

  @Test("`q` ends the capture, and the remaining rooms have no address")
  func quit() {
    var dialogue = Dialogue(Self.building(3))
    dialogue.read("s")
    dialogue.read(Self.label(2))
    dialogue.read("q")
    #expect(dialogue.capture.prompt == .nothing)
    #expect(dialogue.read(Self.label(3)) == .nothing)
    #expect(dialogue.capture.missing.map(\.name) == ["A", "C"])
  }

  // MARK: Labels that show the base address

  @Test(
    "an offset is proposed when three labels are silent and the address plus the offset is on air for each",
    arguments: [
      // Addresses on air, labels, and the proposed offset.
      ([11, 21, 31], [10, 20, 30], 1), ([12, 22, 32], [10, 20, 30], 2), ([12, 22, 31], [10, 20, 30], nil),
      ([11, 21, 31, 12, 22, 32], [10, 20, 30], 1), ([11, 12, 22, 32], [10, 20, 30], 2),
      // Too few labels; correct labels; neighbours that belong to other rooms.
      ([11, 21], [10, 20], nil), ([10, 20, 31, 41, 51], [10, 20, 30, 40, 50], 1),
      ([10, 20, 30, 41, 51, 61], [10, 20, 30, 40, 50, 60], nil), ([12], [11, 10, 9], nil),
      ([], [10, 20, 30], nil),
    ] as [([UInt64], [UInt64], Int?)])
  func proposal(onAir: [UInt64], labels: [UInt64], offset: Int?) {
    var dialogue = Dialogue(Self.building(7), onAir: onAir)
    for label in labels { dialogue.read(Self.label(label)) }
    #expect(dialogue.proposal?.offset == offset)
    #expect(
      dialogue.written.values.compactMap(\.address).sorted() == labels.sorted().map(Self.address),
      "nothing changes before it is accepted")
  }

  @Test("no offset is proposed without a scan")
  func offline() {
    var dialogue = Dialogue(Self.building())
    for label in [10, 20, 30, 40] { dialogue.read(Self.label(UInt64(label))) }
    #expect(dialogue.proposal == nil)
  }

  @Test(
    "an accepted offset applies to the silent labels before and to all later labels, and undo reverts it for all"
  )
  func accepted() {
    // A's label is on air. C is silent with and without the offset. B and D are neighbours.
    var dialogue = Dialogue(Self.building(), onAir: [5, 11, 12, 41, 51])
    for label in [5, 10, 30, 11] { dialogue.read(Self.label(UInt64(label))) }
    #expect(dialogue.proposal == nil)
    dialogue = Dialogue(Self.building(7), onAir: [5, 21, 41, 51])
    for label in [5, 20, 30, 40, 50] { dialogue.read(Self.label(UInt64(label))) }
    #expect(dialogue.proposal == .init(offset: 1, evidence: ["B", "D", "E"], silent: 4))
    #expect(dialogue.read("maybe") == .nothing)
    #expect(dialogue.read(Self.label(60)) == .nothing)
    dialogue.read("y")
    #expect(dialogue.capture.offset == 1)
    #expect(
      dialogue.written == [
        "a": Self.device(5), "b": Self.device(21), "c": Self.device(31), "d": Self.device(41),
        "e": Self.device(51),
      ])
    #expect(dialogue.asked == "F")
    dialogue.read(Self.label(60))
    #expect(dialogue.written["f"] == Self.device(61))
    #expect(dialogue.capture.captured.last?.label.device == Self.device(60))
    #expect(dialogue.read(Self.label(40)) == .show(.wrongLabel(Self.device(41), room: "D")))

    #expect(dialogue.read("u") == .undo("F"))
    #expect(dialogue.read("u") == .undo("E"))
    #expect(dialogue.capture.offset == 0)
    #expect(dialogue.capture.captured.map(\.device) == [5, 20, 30, 40, 50].map(Self.device))
    dialogue.read(Self.label(70))
    #expect(dialogue.written["f"] == Self.device(70))
    #expect(dialogue.proposal == nil, "a proposal that was undone is not made again")
  }

  @Test("consecutive labels are assigned from the highest down")
  func neighbours() {
    var dialogue = Dialogue(Self.building(4), onAir: [101, 201, 4])
    for label in [2, 100, 3, 200] { dialogue.read(Self.label(UInt64(label))) }
    #expect(dialogue.proposal?.offset == 1)
    guard case .save(let assignments) = dialogue.read("yes") else { return #expect(Bool(false)) }
    #expect(assignments.map(\.device) == [201, 101, 4, 3].map(Self.device))
  }

  @Test("a declined offset leaves the labels unchanged and is not proposed again")
  func declined() {
    var dialogue = Dialogue(Self.building(), onAir: [11, 21, 31, 41])
    for label in [10, 20, 30] { dialogue.read(Self.label(UInt64(label))) }
    #expect(dialogue.read("n") == .show(.offsetDeclined))
    dialogue.read(Self.label(40))
    #expect(dialogue.proposal == nil)
    #expect(dialogue.written.values.compactMap(\.address).sorted() == [10, 20, 30, 40].map(Self.address))
  }

  // MARK: Addresses that the manifest has

  @Test(
    "an offset is proposed for the addresses of a table as for labels, and applies to those that are not on air",
    arguments: [
      // Addresses on air, and the proposed offset with the number of addresses for and of those that are silent.
      ([12, 22, 32, 42], 2, 4, 4), ([11, 21, 31], 1, 3, 4), ([10, 22, 32, 42], 2, 3, 3),
      ([10, 20, 32, 42], nil, 0, 0),
      ([], nil, 0, 0), ([10, 20, 30, 40], nil, 0, 0),
    ] as [([UInt64], Int?, Int, Int)])
  func table(onAir: [UInt64], offset: Int?, evidence: Int, silent: Int) throws {
    let building = Self.building(4, known: ["A": 10, "B": 20, "C": 30, "D": 40])
    var dialogue = Dialogue(building, onAir: onAir)
    let received = Set(onAir.map(Self.address))
    dialogue.capture.compare { $0.address.map(received.contains) ?? false }
    #expect(dialogue.proposal?.offset == offset)
    guard let offset else { return #expect(dialogue.asked == "A") }
    let proposal = try #require(dialogue.proposal)
    #expect(
      proposal.words.contains(
        "\(evidence) of \(silent) addresses that are not on air are on air at +\(offset)"))
    dialogue.read("y")
    let silentOnes = zip("abcd", [UInt64(10), 20, 30, 40]).filter { !received.contains(Self.address($0.1)) }
    #expect(
      dialogue.written
        == Dictionary(
          uniqueKeysWithValues: silentOnes.map {
            (RoomID(rawValue: String($0.0)), Self.device($0.1 + UInt64(offset)))
          }))
    #expect(dialogue.asked == "A")
    #expect(dialogue.read("u") == .undo("D"))
    #expect(dialogue.capture.offset == 0 && dialogue.capture.captured.isEmpty)
  }

  @Test("the addresses of a table are compared once, and a declined offset is not proposed again")
  func tableDeclined() {
    var dialogue = Dialogue(Self.building(3, known: ["A": 10, "B": 20, "C": 30]))
    let received = Set([UInt64(12), 22, 32].map(Self.address))
    for _ in 1...2 { dialogue.capture.compare { $0.address.map(received.contains) ?? false } }
    #expect(dialogue.read("n") == .show(.offsetDeclined))
    dialogue.capture.compare { $0.address.map(received.contains) ?? false }
    #expect(dialogue.proposal == nil && dialogue.written.isEmpty)
  }

  // MARK: Labels with an EUI-64

  @Test("a label with an EUI-64 is converted only after a question", arguments: ["y", "n"])
  func eui64(answer: String) {
    var dialogue = Dialogue(Self.building(2))
    #expect(dialogue.read("EUI: C4:7C:8D:FF:FE:00:00:01") == .nothing)
    #expect(dialogue.capture.prompt == .conversion(Self.address(1)) && dialogue.written.isEmpty)
    #expect(dialogue.capture.prompt.words.contains("C4:7C:8D:00:00:01") && dialogue.read("maybe") == .nothing)
    let action = dialogue.read(answer)
    if answer == "y" {
      #expect(dialogue.written == ["a": Self.device(1)] && dialogue.asked == "B")
    } else {
      #expect(action == .show(.notConverted) && dialogue.written.isEmpty && dialogue.asked == "A")
    }
  }

  @Test("a label whose address plus the offset exceeds 48 bits is refused")
  func beyond() {
    var dialogue = Dialogue(Self.building(), onAir: [11, 21, 31])
    for label in [10, 20, 30] { dialogue.read(Self.label(UInt64(label))) }
    dialogue.read("y")
    let last = BluetoothAddress(rawValue: 0xFFFF_FFFF_FFFE)
    #expect(dialogue.read(last.description) == .show(.beyondAll(.address(last))))
  }
}
