import Bluetooth
import CentralConformance
import Foundation
import VirtualBuilding

/// Control over the lab's radio around this guest. Each request is a line of JSON on standard output. The
/// test case outside the guest (`scenarios/test_conformance.py`) replies with a line on standard input.
actor LabWorld: WorldControl {
  private struct Question: Encodable {
    var id: Int
    var ask: String
    var address: String?
    var isOn: Bool?
    var name: String?
  }

  private struct Answer: Decodable {
    var id: Int
    var number: Int?
    var writes: [Write]?
  }

  private struct Write: Decodable {
    var characteristic: String
    var value: [UInt8]
  }

  private var asked = 0
  private var waiting: [Int: CheckedContinuation<Answer, Never>] = [:]

  /// Reads the replies until the test case ends, which also ends this program.
  nonisolated func readReplies() {
    Thread.detachNewThread {
      while let line = readLine() {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(line.utf8)) else {
          fail("invalid reply: \(line)")
        }
        Task { await self.take(answer) }
      }
      fail("the test case has ended")
    }
  }

  private func take(_ answer: Answer) {
    waiting.removeValue(forKey: answer.id)?.resume(returning: answer)
  }

  @discardableResult
  private func request(
    _ what: String, _ address: BluetoothAddress? = nil, isOn: Bool? = nil, name: String? = nil
  ) async -> Answer {
    asked += 1
    let question = Question(
      id: asked, ask: what, address: address?.description, isOn: isOn, name: name)
    return await withCheckedContinuation { continuation in
      waiting[question.id] = continuation
      say(question)
    }
  }

  /// Restores the initial state of the sensors, the adapters and BlueZ.
  func begin() async { await request("begin") }

  func setPowered(_ isPowered: Bool, _ adapter: BluetoothAddress) async {
    await request("power", adapter, isOn: isPowered)
  }

  func setPresent(_ isPresent: Bool, _ adapter: BluetoothAddress, name: String?) async {
    await request("plug", adapter, isOn: isPresent, name: name)
  }

  func dropLink(to sensor: BluetoothAddress) async { await request("drop", sensor) }

  func silence(_ sensor: BluetoothAddress) async { await request("silence", sensor) }

  func updateFirmware(of sensor: BluetoothAddress) async { await request("update", sensor) }

  func openLinkCount(on adapter: BluetoothAddress?) async -> Int {
    await number(request("links", adapter))
  }

  func attemptsUnderWay(on adapter: BluetoothAddress) async -> Int {
    await number(request("attempts", adapter))
  }

  func isDiscovering(_ adapter: BluetoothAddress) async -> Bool {
    await number(request("discovering", adapter)) != 0
  }

  func writes(to sensor: BluetoothAddress) async -> [WrittenValue] {
    (await request("writes", sensor).writes ?? []).map { write in
      guard let uuid = BluetoothUUID(write.characteristic) else { fail("no UUID: \(write.characteristic)") }
      return WrittenValue(characteristic: uuid, value: write.value)
    }
  }

  private func number(_ answer: Answer) -> Int {
    guard let number = answer.number else { fail("reply \(answer.id) has no number") }
    return number
  }
}

/// Sends a line of JSON to the test case.
func say(_ word: some Encodable) {
  guard let line = try? JSONEncoder().encode(word) else { fail("cannot encode \(word)") }
  FileHandle.standardOutput.write(line + [UInt8(ascii: "\n")])
}

/// Ends the program without a result.
func fail(_ why: String) -> Never {
  FileHandle.standardError.write(Data("bluez-conformance: \(why)\n".utf8))
  exit(70)
}
