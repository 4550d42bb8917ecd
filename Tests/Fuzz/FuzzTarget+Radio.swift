import Bluetooth
import EspMessages
import Foundation
import Model
import SwiftProtobuf

@testable import Families

extension FuzzTarget {
  /// Advertisements as structures on air (length, type, data): a recognised beacon encodes to the bytes from
  /// which it was decoded.
  static let advertisement = FuzzTarget(name: "advertisement") { bytes in
    let advertisement = advertisement(bytes)
    if let data = advertisement.manufacturerData[IBeacon.company], let beacon = advertisement.iBeacon {
      try Violation.unless(beacon.manufacturerData == data, "a beacon encodes to the bytes that were decoded")
    }
    for family in FamilyCatalogue.builtIn.all {
      guard let recognition = family.recognise(advertisement) else { continue }
      Observation.take([family.id, recognition])
      try Violation.unless(
        FamilyCatalogue.builtIn.recognise(advertisement) != nil, "what a family recognises is recognised")
      if case .configured(let identity?) = recognition {
        let parts = advertisement.iBeacon.map {
          ["uuid \($0.uuid)", "major \($0.major)", "minor \($0.minor)"]
        }
        try Violation.unless(identity.parts == parts, "a device at work is recognised by its beacon")
      }
    }
    for uuid in advertisement.serviceUUIDs {
      try Violation.unless(BluetoothUUID(uuid.description) == uuid, "a UUID reads as it is written")
    }
  }

  /// Answers of an ESP-IDF device: the kind, then the bytes. What can be decoded encodes to something that reads the
  /// same, and any version can be read.
  static let espAnswer = FuzzTarget(name: "esp-answer") { bytes in
    let rest = Array(bytes.dropFirst())
    switch (bytes.first ?? 0) % 5 {
    case 0: try checkIsStable(EspSessionData.self, rest)
    case 1: try checkIsStable(EspConfigMessage.self, rest)
    case 2: try checkIsStable(EspScanMessage.self, rest)
    case 3: try checkIsStable(EspControlMessage.self, rest)
    default:
      let version = EspVersion(rest)
      Observation.take(version)
      try Violation.unless(
        version.security != nil || !version.scansWiFi
          || String(decoding: rest, as: UTF8.self).contains("sec_ver"),
        "capabilities say the security unless a key does")
    }
  }

  /// Answers of a Shelly. A result is part of an answer, and the message of a refusal may demand a password.
  static let shellyAnswer = FuzzTarget(name: "shelly-answer") { bytes in
    let answer = ShellyAnswer(bytes)
    Observation.take([answer?.id.map { "\($0)" } ?? "no id", answer?.refusal?.text ?? "no refusal"])
    let scan = try? JSONDecoder().decode(ShellyResult<ShellyScan>.self, from: Data(bytes))
    let status = try? JSONDecoder().decode(ShellyResult<ShellyStatus>.self, from: Data(bytes))
    let networks = try? JSONDecoder().decode(ShellyResult<ShellyNetworks>.self, from: Data(bytes))
    let info = try? JSONDecoder().decode(ShellyResult<ShellyInfo>.self, from: Data(bytes))
    Observation.take([
      "\(scan?.result?.results.count ?? -1)", status?.result?.status ?? "", networks?.result?.ssid ?? "",
      info?.result?.id ?? "",
    ])
    guard var challenge = ShellyChallenge(answer?.refusal?.message ?? "") else { return }
    let (first, second) = (challenge.answer("secret", "client"), challenge.answer("secret", "client"))
    Observation.take(["\(first.nc)", first.realm, first.response])
    try Violation.unless(
      second.nc == first.nc + 1 && second.response != first.response, "each proof has a number of its own")
  }

  private static func checkIsStable<Message: SwiftProtobuf.Message & Equatable>(
    _: Message.Type, _ bytes: [UInt8]
  ) throws {
    guard let message: Message = try? EspIdf.message(bytes) else { return }
    Observation.take(message.debugDescription)
    let again: Message? = try? EspIdf.message(EspIdf.bytes(of: message))
    try Violation.unless(again == message, "a message reads as it is written")
  }

  /// Status texts of a sensor: a text that begins with the bytes `error:` is always a refusal.
  static let status = FuzzTarget(name: "status") { bytes in
    guard let rule = DeviceFamily.roboSensor.procedure?.status else { throw Violation("it has a status") }
    let status = DeviceStatus(bytes, by: rule)
    Observation.take(status)
    try Violation.unless(
      DeviceStatus(Array(status.text.utf8), by: rule) == status, "a status reads as it is written")
    try Violation.unless(
      status.isRefusal == bytes.starts(with: Array("error:".utf8)), "a refusal is what begins with error:")
    try Violation.unless(
      (status.meaning == .saved) == (bytes == Array("saved".utf8)), "saved is the word alone")
    try Violation.unless(
      (status.meaning == .ready) == (bytes == Array("ready".utf8)), "ready is the word alone")
  }

  /// A sensor's response to `SCAN`, in notifications whose length is the byte before each: the result is
  /// bounded and plausible, and a response of whole lines in one notification gives its lines.
  static let wifiScan = FuzzTarget(name: "wifi-scan") { bytes in
    var input = InputReader(bytes)
    var reader = WiFiScanReader()
    // The list is made twice at most: once for each of many notifications takes time with the square of their number.
    var ended: [FoundNetwork]?
    while !input.isEmpty {
      if ended == nil, reader.progress == .ended { ended = reader.result.networks }
      reader.take(input.bytes(Int(input.byte())))
    }
    let networks = reader.result.networks
    Observation.take([reader.result, reader.progress])
    try Violation.unless(ended.map { $0 == networks } ?? true, "no result follows the end")
    for network in networks {
      try Violation.unless((-127...20).contains(network.rssi), "an RSSI is in its range")
      // A byte that is not UTF-8 becomes a character of three bytes.
      try Violation.unless(network.ssid.utf8.count <= 96, "an SSID has at most 32 bytes")
    }
    let lines = networks.filter { !$0.ssid.contains { $0.isNewline } }.prefix(10)
    var again = WiFiScanReader()
    again.take(Array((lines.map { "\($0.ssid),\($0.rssi)" } + ["END"]).joined(separator: "\n").utf8))
    let short = lines.filter { $0.ssid.utf8.count <= 32 }
    try Violation.unless(
      again.result.networks == Array(short), "the parsed list is not stable: \(again.result.networks)")
  }

  /// A frame of an Improv device: a frame encodes to the bytes from which it was decoded, and so do its strings. No
  /// report but a result, or a state that follows an attempt to join, is a success.
  static let improvFrame = FuzzTarget(name: "improv-frame") { bytes in
    Observation.take(ImprovFrame.read(bytes))
    if let frame = try? ImprovFrame.read(bytes).get() {
      try Violation.unless(frame.bytes == bytes, "a frame encodes to the bytes that were decoded")
      let strings = frame.strings.map { $0.map { Array($0.utf8) } }
      // A byte that is not UTF-8 becomes a character of three bytes.
      if let strings, let command = ImprovFrame.Command(rawValue: frame.command),
        let again = ImprovFrame(command, strings: strings), again.data.count == frame.data.count
      {
        try Violation.unless(again == frame, "strings encode to the bytes that were decoded")
      }
    }
    var input = InputReader(bytes)
    var judge = ImprovJudge(isRepeated: input.byte() % 2 == 1)
    var (hasJoined, hasResult) = (false, false)
    while !input.isEmpty {
      let report: ImprovReport
      switch input.byte() % 3 {
      case 0:
        let state = input.byte()
        report = .state(state)
        if state == 3 { hasJoined = true }
      case 1: report = .error(input.byte())
      default:
        let result = try? ImprovFrame.read(input.bytes(Int(input.byte()))).get()
        report = result.map { .result($0) } ?? .unreadable
        if result?.command == 1 { hasResult = true }
      }
      let answer = judge.take(report)
      Observation.take(answer as Any)
      if case .joined? = answer { try Violation.unless(hasResult, "a result shows that it joined") }
      if answer != nil { break }
    }
    Observation.take(judge.answerWhenSilent as Any)
    if case .joined? = judge.answerWhenSilent {
      try Violation.unless(hasJoined, "it has tried to join")
    }
  }

  /// External texts, one per line: the first line is a secret, and no other line contains it after redaction.
  static let redaction = FuzzTarget(name: "redaction") { bytes in
    let lines = bytes.lines
    let secret = String(decoding: lines[0], as: UTF8.self)
    let redactor = Redactor([Secret(secret)])
    // The secret may consist only of characters of the replacement texts.
    let isPlain = !secret.isEmpty && secret.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    var said = ""
    for line in lines.dropFirst() {
      let text = String(decoding: line, as: UTF8.self)
      let redacted = redactor(text, after: Redactor.tail(of: said))
      said += text
      Observation.take(redacted)
      guard isPlain else { continue }
      try Violation.unless(!contains(redacted, secret), "no secret is in the redacted text: \(redacted)")
    }
  }

  private static func contains(_ text: String, _ part: String) -> Bool {
    let text = Array(text.utf8)
    let part = Array(part.utf8)
    guard text.count >= part.count else { return false }
    return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
  }

  private static func advertisement(_ bytes: [UInt8]) -> Advertisement {
    var input = InputReader(bytes)
    var advertisement = Advertisement(
      address: BluetoothAddress(rawValue: 0xC47C_8D00_0001),
      adapter: AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7101)),
      receivedAt: MonotonicInstant(sinceZero: .zero))
    while !input.isEmpty {
      let length = Int(input.byte())
      guard length > 0 else { continue }
      let type = input.byte()
      let data = input.bytes(length - 1)
      switch type {
      case 0x02, 0x03:
        advertisement.serviceUUIDs += stride(from: 0, to: data.count - data.count % 2, by: 2).map {
          BluetoothUUID(short: UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8)
        }
      case 0x06, 0x07:
        if let uuid = BluetoothUUID(bytes: data.reversed()) { advertisement.serviceUUIDs.append(uuid) }
      case 0x08, 0x09: advertisement.localName = String(decoding: data, as: UTF8.self)
      case 0x16 where data.count >= 2:
        advertisement.serviceData[BluetoothUUID(short: UInt16(data[0]) | UInt16(data[1]) << 8)] = Array(
          data.dropFirst(2))
      case 0x21:
        if let uuid = BluetoothUUID(bytes: data.prefix(16).reversed()) {
          advertisement.serviceData[uuid] = Array(data.dropFirst(16))
        }
      case 0xFF where data.count >= 2:
        advertisement.manufacturerData[UInt16(data[0]) | UInt16(data[1]) << 8] = Array(data.dropFirst(2))
      case 0xFE: advertisement.rssi = data.first.map { Int(Int8(bitPattern: $0)) }
      default: break
      }
    }
    return advertisement
  }
}
