import Foundation
import Glibc

/// A TCP connection to a server on this computer that sends and receives bytes as the test says. Its calls block.
package final class RawClient: @unchecked Sendable {
  private let descriptor: Int32
  /// What was received and not taken yet.
  private var received: [UInt8] = []

  package struct Failure: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
  }

  /// A machine under load may need long. Only a test that fails waits so long.
  private static let patience = 120

  /// - Parameter source: Its own address, of 127.0.0.0/8.
  package init(port: Int, from source: String = "127.0.0.1") throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = [
      Self.at(source, 0) { bind(descriptor, $0, size) },
      Self.at("127.0.0.1", port) { connect(descriptor, $0, size) },
    ]
    guard result == [0, 0] else { throw Failure(description: "connect: \(String(cString: strerror(errno)))") }
  }

  private static func at<Result>(
    _ address: String, _ port: Int, _ body: (UnsafePointer<sockaddr>) -> Result
  ) -> Result {
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = in_port_t(port).bigEndian
    place.sin_addr.s_addr = inet_addr(address)
    return withUnsafePointer(to: &place) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
  }

  deinit { close(descriptor) }

  package func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Sends a request without a body.
  package func ask(_ target: String, method: String = "GET", _ fields: String...) {
    send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields.map { $0 + "\r\n" }.joined())\r\n")
  }

  /// Receives once.
  /// - Returns: False when the server has ended the connection.
  private func receive() throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count < 0, errno == EAGAIN { throw Failure(description: "nothing was received") }
    received += buffer.prefix(max(0, count))
    return count > 0
  }

  /// Everything up to the end of the connection.
  package func rest() throws -> String {
    while try receive() {}
    defer { received = [] }
    return String(decoding: received, as: UTF8.self)
  }

  /// Everything up to and with a text.
  package func text(upTo end: String) throws -> String {
    let end = Array(end.utf8)
    var searched = 0
    while true {
      if received.count >= end.count,
        let place = (searched...received.count - end.count).first(where: { received[$0...].starts(with: end) }
        )
      {
        let text = received[..<(place + end.count)]
        received.removeFirst(text.count)
        return String(decoding: text, as: UTF8.self)
      }
      searched = max(0, received.count - end.count + 1)
      guard try receive() else {
        throw Failure(
          description: "the connection ended after “\(String(decoding: received, as: UTF8.self))”")
      }
    }
  }

  /// The next server-sent event: its name and its data.
  package func event() throws -> (name: String, data: String) {
    let lines = try text(upTo: "\n\n").split(separator: "\n")
    guard lines.count == 2, lines[0].hasPrefix("event: "), lines[1].hasPrefix("data: ") else {
      throw Failure(description: "no event: \(lines)")
    }
    return (String(lines[0].dropFirst(7)), String(lines[1].dropFirst(6)))
  }
}

extension String {
  /// An answer without the time at which it was sent.
  package var withoutDate: String {
    split(separator: "\r\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("Date: ") }
      .joined(separator: "\r\n")
  }
}
