import Bluetooth

/// The frames of a device's RPC service over a link (docs/internals/protocols.md, "Shelly").
struct ShellyLink: Sendable {
  private let link: any Peripheral
  private let clock: any TimeSource
  private let data: RemoteCharacteristic
  private let sending: RemoteCharacteristic
  private let receiving: RemoteCharacteristic

  /// The pieces of a frame: what most links take in one packet, and what each link takes.
  private static let pieces = [180, 20]
  /// The most bytes of a frame that are read: a list of 50 networks has less than a third.
  private static let mostBytes = 32 << 10
  /// The shortest and the longest pause between two questions for a frame; each is twice as long as the one before.
  private static let pauses = (first: Duration.milliseconds(50), longest: Duration.milliseconds(500))

  init(_ link: any Peripheral, _ clock: any TimeSource) async throws(CentralError) {
    typealias Attribute = Shelly.Attribute
    let service = try await link.discover(
      Attribute.service, requiring: [Attribute.data, Attribute.sending, Attribute.receiving])
    guard let data = service[Attribute.data], let sending = service[Attribute.sending],
      let receiving = service[Attribute.receiving]
    else { preconditionFailure("the discovery returns what it requires") }
    (self.link, self.clock) = (link, clock)
    (self.data, self.sending, self.receiving) = (data, sending, receiving)
  }

  /// Sends a frame, which the device takes as a whole: a length begins a new one.
  func send(_ frame: [UInt8]) async throws(CentralError) {
    do throws(CentralError) {
      try await send(frame, inPiecesOf: Self.pieces[0])
    } catch  where error.isOfLength {
      try await send(frame, inPiecesOf: Self.pieces[1])
    }
  }

  private func send(_ frame: [UInt8], inPiecesOf length: Int) async throws(CentralError) {
    let count = UInt32(frame.count)
    try await link.write(
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }, to: sending, .withResponse)
    for start in stride(from: 0, to: frame.count, by: length) {
      let piece = Array(frame[start..<min(start + length, frame.count)])
      try await link.write(piece, to: data, .withResponse)
    }
  }

  /// The next frame, whole or not; nil without one in time. The length is asked for only before a frame: the question begins
  /// it anew. It may be wrong, so a frame ends where it is whole, or where nothing follows.
  func receive(within limit: Duration) async throws(CentralError) -> [UInt8]? {
    let end = clock.now.advanced(by: limit)
    var pause = Self.pauses.first
    while true {
      let length = try await length()
      if length > 0, let frame = try await frame(of: length, until: end) { return frame }
      if clock.now >= end { return nil }
      try await clock.pause(pause)
      pause = min(pause * 2, Self.pauses.longest)
    }
  }

  /// Reads what an earlier client left: the device sends nothing else before.
  func drain() async throws(CentralError) {
    if try await length() > 0 { _ = try await frame(of: .max, until: clock.now) }
  }

  /// The length of the frame that waits; 0 without one.
  private func length() async throws(CentralError) -> Int {
    let bytes = try await link.read(receiving)
    return bytes.count == 4 ? bytes.reduce(0) { $0 << 8 | Int($1) } : 0
  }

  private func frame(of length: Int, until end: MonotonicInstant) async throws(CentralError) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < Self.mostBytes {
      let piece = try await link.read(data)
      if piece.isEmpty {
        // Before the first byte it is not ready yet.
        if !bytes.isEmpty { return bytes }
        if clock.now >= end { return nil }
        try await clock.pause(Self.pauses.first)
      }
      bytes += piece
      if bytes.count >= length, ShellyAnswer(bytes) != nil { return bytes }
    }
    return bytes
  }
}

extension CentralError {
  /// The device or the stack does not take values of this length: they may be sent as several requests.
  fileprivate var isOfLength: Bool {
    switch code {
    // Request not supported, prepare queue full, attribute not long, invalid length (Bluetooth Core, Vol 3 Part F 3.4.1.1).
    case .att(0x06), .att(0x09), .att(0x0B), .att(0x0D): true
    default: false
    }
  }
}
