import Bluetooth
import CentralConformance
import Foundation
import VirtualBuilding

/// The lab's hands on the radio around this guest. Each is asked for with a line of JSON on standard output, and
/// the test case on the other side (`scenarios/test_conformance.py`) answers each with one on standard input.
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

  /// Takes in the answers for as long as there are any. Without the test case there is nothing left to examine.
  nonisolated func listen() {
    Thread.detachNewThread {
      while let line = readLine() {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(line.utf8)) else {
          fail("what is this? \(line)")
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
  private func ask(
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

  /// Makes everything as it is in the beginning: the sensors, the adapters, and what BlueZ knows.
  func begin() async { await ask("begin") }

  func setPowered(_ isPowered: Bool, _ adapter: BluetoothAddress) async {
    await ask("power", adapter, isOn: isPowered)
  }

  func setPresent(_ isPresent: Bool, _ adapter: BluetoothAddress, name: String?) async {
    await ask("plug", adapter, isOn: isPresent, name: name)
  }

  func dropLink(to sensor: BluetoothAddress) async { await ask("drop", sensor) }

  func silence(_ sensor: BluetoothAddress) async { await ask("silence", sensor) }

  func updateFirmware(of sensor: BluetoothAddress) async { await ask("update", sensor) }

  func openLinkCount(on adapter: BluetoothAddress?) async -> Int {
    await number(ask("links", adapter))
  }

  func attemptsUnderWay(on adapter: BluetoothAddress) async -> Int {
    await number(ask("attempts", adapter))
  }

  func isDiscovering(_ adapter: BluetoothAddress) async -> Bool {
    await number(ask("discovering", adapter)) != 0
  }

  func writes(to sensor: BluetoothAddress) async -> [WrittenValue] {
    (await ask("writes", sensor).writes ?? []).map { write in
      guard let uuid = BluetoothUUID(write.characteristic) else { fail("no UUID: \(write.characteristic)") }
      return WrittenValue(characteristic: uuid, value: write.value)
    }
  }

  private func number(_ answer: Answer) -> Int {
    guard let number = answer.number else { fail("answer \(answer.id) has no number") }
    return number
  }
}

/// A line of JSON to the story.
func say(_ word: some Encodable) {
  guard let line = try? JSONEncoder().encode(word) else { fail("cannot say \(word)") }
  FileHandle.standardOutput.write(line + [UInt8(ascii: "\n")])
}

/// Ends the examination without a result.
func fail(_ why: String) -> Never {
  FileHandle.standardError.write(Data("bluez-conformance: \(why)\n".utf8))
  exit(70)
}
